// What ipywidgets leaves out for a hand at the keyboard, for an eye that looks for the focus, and for an ear.
(() => {
  if (window.minicellNames) return;
  window.minicellNames = true;
  const FOCUS = `.jp-OutputArea-output :focus-visible:not(.minicell-stage)
    { outline: 3px solid #0072B2 !important; outline-offset: -1px !important; }`;
  const SOON = 200; // milliseconds: while a key is held down, nothing is said
  // What scrolls: the blocks of a fixed height, and printed lines that are too long.
  const SCROLLS = '.jp-OutputArea-output :is([style*="overflow:auto"], [style*="overflow: auto"])';
  // What changes when something is pressed, and is told to who does not see it: pictures, replies, hints, verdicts.
  const TELLS = '[class*=lat-target-], .minicell-said';

  const style = document.createElement('style'), ear = document.createElement('div');
  style.textContent = FOCUS;
  ear.setAttribute('role', 'status');
  ear.style.cssText = 'position:fixed;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap';
  document.head.append(style);
  document.body.append(ear);

  let waiting = 0, groups = 0;
  const told = new WeakMap();
  const soon = () => { waiting ||= setTimeout(all, SOON); };
  // a tooltip that is not there is the word null
  const label = of => of?.querySelector('.widget-label');
  const words = of => label(of)?.textContent.trim() || [of?.title, label(of)?.title].find(one => one && one !== 'null');
  // else JupyterLab takes these keys, and goes to the next cell
  const keep = event => { if (/^(Arrow|Page|Home|End)/.test(event.key)) event.stopPropagation(); };
  const name = (one, said) => { if (said) one.setAttribute('aria-label', said); };
  const pressed = button => button.setAttribute('aria-pressed', button.classList.contains('mod-active'));
  const steps = handle => {
    const [at, last] = ['aria-valuenow', 'aria-valuemax'].map(value => Math.round(handle.getAttribute(value)));
    const said = `${at + 1} of ${last + 1}`;
    if (handle.getAttribute('aria-valuetext') !== said) handle.setAttribute('aria-valuetext', said);
  };
  // at once: what is heard of a control is what it is now
  const follow = (one, attribute, act) => {
    act(one);
    new MutationObserver(() => act(one)).observe(one, {attributeFilter: [attribute]});
  };

  const names = () => {
    for (const handle of document.querySelectorAll('.widget-slider .noUi-handle:not([aria-label])')) {
      name(handle, words(handle.closest('.widget-slider')));
      if (handle.closest('.lat-slider-tape')) follow(handle, 'aria-valuetext', steps); // it counts from 0
    }
    for (const number of document.querySelectorAll('.widget-slider .widget-readout:not([role])')) {
      number.setAttribute('role', 'textbox');
      name(number, `${words(number.closest('.widget-slider'))}, as a number`);
    }
    for (const box of document.querySelectorAll('.widget-textarea textarea:not([aria-label])'))
      name(box, words(box.closest('.widget-textarea')) || box.title);
    for (const button of document.querySelectorAll('.widget-toggle-button:not([aria-pressed])'))
      follow(button, 'class', pressed);
    for (const group of document.querySelectorAll('.widget-toggle-buttons:not([role])')) {
      group.setAttribute('role', 'group');
      name(group, words(group) || group.previousElementSibling?.textContent);
    }
    for (const group of document.querySelectorAll('.widget-radio-box:not([role])')) {
      group.setAttribute('role', 'radiogroup');
      name(group, words(group.closest('.widget-radio')));
      groups += 1;
      for (const radio of group.querySelectorAll('input')) radio.name = `minicell-radio-${groups}`;
      group.onkeydown = keep;
    }
  };

  // Tab leads to what scrolls, and the arrow keys scroll it.
  const scrolls = () => {
    for (const one of document.querySelectorAll(SCROLLS)) {
      if (one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1) {
        one.tabIndex = 0;
        one.onkeydown = keep;
        one.setAttribute('role', 'group');
        name(one, one.querySelector('p')?.textContent || 'Printed');
      } else ['tabindex', 'role', 'aria-label'].forEach(attribute => one.removeAttribute(attribute));
    }
  };

  // A tape: the step, its title and its caption; other pictures: the title; all else: its words.
  const telling = one => {
    const picture = one.querySelector('svg');
    if (!picture) return one.innerText;
    if (!one.matches('.lat-target-tape')) return picture.querySelector('title').textContent;
    return picture.querySelector('desc').textContent.split(/ (?=Line \d+ of the code is marked:|Forward entries)/)[0];
  };
  const tell = () => {
    for (const one of document.querySelectorAll(TELLS)) {
      if (!one.checkVisibility()) continue;
      // the picture of a tape may be changed for another one, in its place
      const place = one.matches('.lat-target-tape') ? one.parentElement : one;
      const said = telling(one), before = told.get(place);
      if (said === before) continue;
      told.set(place, said);
      const at = document.activeElement; // a button that has done its work is switched off, and the focus is nowhere
      if (before !== undefined && (at === document.body || one.closest('.jp-OutputArea-output')?.contains(at)))
        ear.textContent = at.matches('.lat-slider-tape *') ? said.replace(/^Step \d+ of \d+\. /, '') : said;
    }
  };

  // A button that has done its work is switched off, and no key would reach the notebook: the focus stays beside it.
  let held = null;
  const hold = () => {
    const around = document.activeElement === document.body && held?.matches(':disabled') && held.closest('.widget-vbox');
    if (!around) return;
    around.tabIndex = -1;
    around.focus({preventScroll: true});
  };

  const all = () => { waiting = 0; names(); scrolls(); tell(); hold(); };
  new MutationObserver(soon).observe(document.body, {childList: true, subtree: true});
  document.addEventListener('focusin', event => { held = event.target; });
  window.addEventListener('resize', soon);
  soon();
})();
