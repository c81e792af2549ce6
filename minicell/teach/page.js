// What ipywidgets leaves out for a hand at the keyboard, for an eye that looks for the focus, and for an ear.
(() => {
  if (window.minicellNames) return;
  window.minicellNames = true;
  const FOCUS = `.jp-OutputArea-output :focus-visible:not(.minicell-stage, .mc-card, .mc-card *)
    { outline: 3px solid #0067a8 !important; outline-offset: -1px !important; }`;
  const SOON = 200; // milliseconds: while a key is held down, nothing is said
  // What changes when something is pressed, and is told to who does not see it.
  const TELLS = '.minicell-said';

  const style = document.createElement('style'), ear = document.createElement('div');
  style.textContent = FOCUS;
  ear.className = 'minicell-ear';
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
  // at once: what is heard of a control is what it is now
  const follow = (one, attribute, act) => {
    act(one);
    new MutationObserver(() => act(one)).observe(one, {attributeFilter: [attribute]});
  };

  const names = () => {
    for (const handle of document.querySelectorAll('.widget-slider .noUi-handle:not([aria-label])'))
      name(handle, words(handle.closest('.widget-slider')));
    for (const number of document.querySelectorAll('.widget-slider .widget-readout:not([role])')) {
      number.setAttribute('role', 'textbox');
      name(number, `${words(number.closest('.widget-slider'))}, as a number`);
    }
    for (const button of document.querySelectorAll('.widget-toggle-button:not([aria-pressed])'))
      follow(button, 'class', pressed);
    for (const group of document.querySelectorAll('.widget-toggle-buttons:not([role])')) {
      group.setAttribute('role', 'group');
      name(group, words(group) || group.previousElementSibling?.textContent);
    }
    for (const group of document.querySelectorAll('.widget-radio-box:not([role])')) {
      group.setAttribute('role', 'radiogroup');
      group.style.flexWrap = 'wrap'; // or a long row of choices hides its circles
      name(group, words(group.closest('.widget-radio')));
      groups += 1;
      for (const radio of group.querySelectorAll('input')) radio.name = `minicell-radio-${groups}`;
      group.onkeydown = keep;
    }
  };

  const tell = () => {
    for (const one of document.querySelectorAll(TELLS)) {
      if (!one.checkVisibility()) continue;
      const said = one.innerText, before = told.get(one);
      if (said === before) continue;
      told.set(one, said);
      const at = document.activeElement; // a button that has done its work is switched off, and the focus is nowhere
      if (before !== undefined && (at === document.body || one.closest('.jp-OutputArea-output')?.contains(at)))
        ear.textContent = said;
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

  const all = () => { waiting = 0; names(); tell(); hold(); };
  new MutationObserver(soon).observe(document.body, {childList: true, subtree: true});
  document.addEventListener('focusin', event => { held = event.target; });
  window.addEventListener('resize', soon);
  soon();
})();
