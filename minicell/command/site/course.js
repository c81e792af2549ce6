// On a phone the bar is a menu; without this script it stands open.
{
  const menu = document.querySelector('.menu'), small = matchMedia('(max-width: 899px)');
  const fit = () => { menu.open = !small.matches; };
  fit();
  small.addEventListener('change', fit);
}
// JupyterLite needs a web server.
if (location.protocol === 'file:') {
  for (const words of document.querySelectorAll('.served')) words.hidden = true;
}

// The words of another framework beside MindSpore's, where a part first says them; the choice is kept for other pages.
{
  const choice = document.querySelector('.also-in select'), KEPT = 'minicell.words';
  const apart = new RegExp(`\\b(${Object.keys(Object.values(elsewhere)[0]).filter(word => /^[A-Z]/.test(word)).join('|')})\\b`);
  const PROSE = 'p, li, td, th, dd, h2, h3';
  const bare = text => text.replace(/^(self|net|Net)\.|\(.*\)$/g, '');

  function beside(name) {
    for (const old of document.querySelectorAll('.also')) old.remove();
    const words = elsewhere[name];
    if (!words) return;
    for (const part of document.querySelectorAll('main section, main:not(:has(section))')) mark(part, name, words);
  }
  function mark(part, name, words) {
    const said = new Set(), walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT), hits = [];
    while (walk.nextNode()) {
      const text = walk.currentNode, around = text.parentElement;
      if (!around.closest(PROSE) || around.closest('pre, .mc2, svg, .also') || around.closest('section') !== part.closest('section')) continue;
      const inCode = around.closest('code'), word = inCode ? bare(text.data) : apart.exec(text.data)?.[1];
      if (around.closest('h2')) said.clear(); // a new part
      const once = words[word] + (around.closest('[data-when]')?.dataset.when ?? ''); // of those, one at a time is seen
      if (!Object.hasOwn(words, word ?? '') || said.has(once)) continue;
      said.add(once);
      hits.push([inCode ?? text, word]);
    }
    for (const [node, word] of hits) {
      const note = Object.assign(document.createElement('span'), {className: 'also', textContent: `${name}: ${words[word]}`});
      if (node.nodeType === 3) node.splitText(apart.exec(node.data).index + word.length).before(' ', note);
      else node.after(' ', note);
    }
  }
  try { choice.value = localStorage.getItem(KEPT) ?? ''; } catch { /* a page without storage forgets */ }
  beside(choice.value);
  choice.addEventListener('change', () => {
    beside(choice.value);
    try { localStorage.setItem(KEPT, choice.value); } catch { /* as above */ }
  });
}
