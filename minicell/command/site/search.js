// The search: the words of the site come beside it as a script, when the field is first used, and never from elsewhere.
{
  const here = document.currentScript.src.replace(/[^/]*$/, '');
  const form = document.querySelector('.search'), field = form.querySelector('input');
  const box = form.querySelector('.found'), said = form.querySelector('.said');
  const MOST = 12, PER_PAGE = 2, AROUND = 60; // results, of one page, letters on either side of a hit
  let coming = null;

  const load = () => coming ??= new Promise((done, fail) => {
    const script = document.createElement('script');
    script.src = `${here}search-index.js`;
    script.onload = () => done(window.minicellIndex);
    script.onerror = fail;
    document.head.append(script);
  });
  // How well a part answers, 0 for not at all: every word is due; a heading says more than a text, a whole name most,
  // and `sin` is not `Sin`.
  function score(asked, title, head, text) {
    const name = title.toLowerCase(), above = head.toLowerCase(), below = text.toLowerCase();
    let sum = 0;
    for (const exact of asked) {
      const word = exact.toLowerCase(), whole = name === word || name.endsWith(`.${word}`) || above === word;
      const now = whole * 50 + title.endsWith(`.${exact}`) + above.includes(word) * 10 + name.includes(word) * 6 + below.includes(word);
      if (!now) return 0;
      sum += now;
    }
    return sum;
  }
  function search(pages, asked) {
    const found = [];
    for (const [path, title, parts] of pages) {
      const lesson = /^\d\d_/.test(path) * 4; // explains, where the reference only lists
      const own = parts.map(([id, head, text]) => ({path, id, title, head, text, sum: score(asked, title, head, text)}))
        .filter(({sum}) => sum).map(one => ({...one, sum: one.sum + lesson}));
      found.push(...own.sort((a, b) => b.sum - a.sum).slice(0, PER_PAGE));
    }
    return found.sort((a, b) => b.sum - a.sum);
  }
  function excerpt(text, asked) { // the words around the first hit, with the hit marked
    const all = text.toLowerCase(), hit = asked.map(word => word.toLowerCase()).find(word => all.includes(word)), at = hit ? all.indexOf(hit) : 0;
    const from = at > AROUND ? text.indexOf(' ', at - AROUND) + 1 : 0, line = document.createElement('span');
    const end = at + (hit?.length ?? 0);
    line.append(`${from ? '… ' : ''}${text.slice(from, at)}`);
    if (hit) line.append(Object.assign(document.createElement('mark'), {textContent: text.slice(at, end)}));
    line.append(text.slice(end, end + AROUND));
    return line;
  }
  function show(found, asked) {
    box.replaceChildren(...found.slice(0, MOST).map(({path, id, title, head, text}) => {
      const link = Object.assign(document.createElement('a'), {href: here + path + (id && `#${id}`)});
      const name = document.createElement('b');
      name.textContent = head === title || title.endsWith(`.${head}`) ? title : `${title} › ${head}`;
      link.append(name, excerpt(text, asked));
      return link;
    }));
    box.hidden = !found.length;
    const count = found.length > MOST ? `the best ${MOST} of ${found.length} places` : `${found.length} places`;
    said.textContent = found.length ? (found.length === 1 ? 'One place' : count) : 'Nothing found. Try a single word.';
  }
  function close() {
    box.hidden = true;
    said.textContent = '';
  }
  async function ask() {
    const words = () => field.value.split(/\s+/).filter(Boolean), asked = words();
    if (!asked.length) return close();
    try {
      const pages = await load();
      if (words().join() === asked.join()) show(search(pages, asked), asked);
    } catch {
      said.textContent = 'The list of words could not be loaded.';
    }
  }
  field.addEventListener('focus', () => load().catch(() => {}));
  field.addEventListener('input', ask);
  form.addEventListener('submit', event => {
    event.preventDefault();
    box.querySelector('a')?.click();
  });
  form.addEventListener('keydown', event => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key], all = [field, ...box.querySelectorAll('a')];
    if (event.key === 'Escape') {
      close();
      field.focus();
    } else if (step && !box.hidden) all[all.indexOf(document.activeElement) + step]?.focus();
    else return;
    event.preventDefault();
  });
  addEventListener('keydown', event => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest('input, textarea, select')) return;
    event.preventDefault();
    form.closest('details').open = true;
    field.focus();
  });
  addEventListener('pointerdown', event => { if (!form.contains(event.target)) close(); });
  box.addEventListener('click', close);
}
