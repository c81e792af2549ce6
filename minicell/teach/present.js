// The presentation fills the screen, above everything that clips it, and hears the Page keys of a clicker: they turn
// over what does not fit, then go to the next beat. Escape leads back to the notebook. What stands on the screen comes
// from the kernel, and is drawn as the notebook draws it.
function present(panel) {
  const PATIENCE = 30000; // milliseconds
  const SIDES = 56, ENDS = 19; // pixels around a beat
  const {of, lesson} = panel.dataset, one = selector => panel.querySelector(selector);
  const stage = one('.minicell-stage'), last = one('.minicell-leave'), said = one('[role=status] > span');
  let waits = 0; // until when, for another beat: a second press while the kernel works is not a second beat
  const ask = what => {
    const event = new CustomEvent('minicell', {detail: {of, lesson, ...what}});
    document.dispatchEvent(event);
    waits = event.detail.heard ? Date.now() + PATIENCE : 0;
    if (!waits) said.textContent = 'No kernel hears this: run the lesson’s first cell, then this one.';
  };
  const begin = tries => { ask({on: 0}); if (tries && !waits) setTimeout(begin, 200, tries - 1); }; // the bridge may come later
  const modal = {role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Presentation'};
  const fill = on => { // while it fills the screen, Tab goes round in it: what lies behind is not seen
    panel.popover = on ? 'manual' : null;
    if (on) panel.showPopover();
    for (const key of Object.keys(modal)) if (on) panel.setAttribute(key, modal[key]); else panel.removeAttribute(key);
    document[on ? 'addEventListener' : 'removeEventListener']('keydown', keys, true);
  };
  // how far down: most of the screen, or to the top of what the screen's end cuts, so that a picture is seen whole
  const onwards = () => {
    const {top, bottom} = stage.getBoundingClientRect(), far = 0.85 * (bottom - top);
    const cut = [...stage.children].map(part => part.getBoundingClientRect())
      .find(box => box.top - top > 12 && box.top - top <= far && box.bottom > bottom + 4);
    return cut ? cut.top - top - 8 : far;
  };
  const scroll = far => stage.scrollBy(0, far / getComputedStyle(stage).zoom);
  // the picture of a tape is seen whole, as large as the screen allows: its arrows lead from one side to the other
  const fit = () => {
    const scale = getComputedStyle(stage).zoom;
    for (const picture of stage.querySelectorAll('.mc2')) {
      const view = picture.querySelector('.view'), {width, height} = stage.getBoundingClientRect();
      if (!view) continue;
      picture.style.zoom = 1 / scale;
      const [wide, high] = [(width - SIDES) / view.offsetWidth, (height - ENDS) / view.offsetHeight];
      picture.style.zoom = Math.max(0.9, Math.min(wide, high)) / scale;
    }
  };
  const turn = way => {
    if (Date.now() < waits) return;
    const more = way > 0 ? stage.scrollHeight - stage.clientHeight - stage.scrollTop > 4 : stage.scrollTop > 4;
    if (more) scroll(way > 0 ? onwards() : -0.85 * stage.getBoundingClientRect().height);
    else one(way > 0 ? '.minicell-next' : '.minicell-back').click();
  };
  const keys = event => {
    if (!panel.isConnected) return document.removeEventListener('keydown', keys, true);
    const [from, to] = event.shiftKey ? [stage, last] : [last, stage];
    const round = event.key === 'Tab' && document.activeElement === from && (() => to.focus());
    // a small window of the picture of a tape is closed first, and the editor of a card is left
    if (event.key === 'Escape' && document.activeElement.closest('.mc2 :is(.account, .more[open]), .mc-card textarea')) return;
    const act = {PageDown: () => turn(1), PageUp: () => turn(-1), Escape: () => fill(false)}[event.key] || round;
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  };
  const draw = async ({beat, code, first, final, ...told}, render) => {
    said.textContent = told.said;
    waits = 0;
    if (!beat) return;
    one('.minicell-code-here').textContent = code;
    one('.minicell-back').disabled = first;
    one('.minicell-next').disabled = final;
    if (!stage.querySelector('[data-of]') && panel.showPopover) fill(true);
    stage.replaceChildren(...beat.map(() => document.createElement('div')));
    stage.scrollTop = 0; // a new beat begins at its top, and Tab leads to its first control
    stage.focus();
    for (const [k, {id, data}] of beat.entries()) {
      stage.children[k].dataset.of = id;
      await render(data, stage.children[k]);
    }
  };
  const hear = ({detail}) => {
    if (!panel.isConnected) return document.removeEventListener('minicell-told', hear);
    if (detail.of === of) return draw(JSON.parse(detail.screen), detail.render);
    for (const host of detail.data ? stage.children : []) if (host.dataset.of === detail.of) detail.render(detail.data, host);
  };
  keepKeys(panel);
  document.addEventListener('minicell-told', hear);
  new ResizeObserver(fit).observe(stage);
  new MutationObserver(fit).observe(stage, {childList: true, subtree: true});
  // Tab leads to a control: what it moves is seen whole, where the screen is high enough
  stage.addEventListener('focusin', ({target}) => {
    const box = [...stage.children].find(part => part.contains(target))?.getBoundingClientRect();
    const {bottom, height} = stage.getBoundingClientRect();
    if (box && target.matches(':focus-visible') && box.height < height && box.bottom > bottom) scroll(box.bottom - bottom + 4);
  });
  for (const button of panel.querySelectorAll('[data-ask]')) button.onclick = () => ask(JSON.parse(button.dataset.ask));
  one('input').onkeydown = ({key, target}) => { if (key === 'Enter') { ask({code: target.value}); target.value = ''; } };
  last.onclick = () => fill(false);
  begin(50);
}
