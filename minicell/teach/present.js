// The presentation fills the screen, above everything that clips it, and hears the Page keys of a clicker: they turn
// over what does not fit, then go to the next beat. Escape leads back to the notebook.
(() => {
  const PATIENCE = 30000; // milliseconds
  const SIDES = 56, ENDS = 19; // pixels around a beat
  const newest = () => [...document.querySelectorAll('.minicell-present:not([data-opened])')].at(-1);
  let tries = 0;
  const open = () => {
    const panel = newest();
    const [stage, where, last] = ['.minicell-stage', '.minicell-code-here', '.minicell-leave']
      .map(part => panel?.querySelector(part));
    if (!(stage && where && last)) { if (tries++ < 100) setTimeout(open, 50); return; }
    panel.dataset.opened = 'yes';
    stage.tabIndex = 0; // the arrow keys scroll it
    stage.setAttribute('role', 'group');
    stage.setAttribute('aria-label', 'The beat');
    where.closest('.widget-html-content').setAttribute('role', 'status');
    const fills = on => { // while it fills the screen, Tab goes round in it: what lies behind is not seen
      for (const [key, value] of Object.entries({role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Presentation'}))
        if (on) panel.setAttribute(key, value); else panel.removeAttribute(key);
    };
    if (panel.showPopover) { panel.popover = 'manual'; panel.showPopover(); fills(true); }
    stage.focus();
    const leave = () => {
      document.removeEventListener('keydown', keys, true);
      panel.hidePopover?.();
      panel.popover = null;
      fills(false);
    };
    // how far down: most of the screen, or to the top of what the screen's end cuts, so that a picture is seen whole
    const onwards = () => {
      const {top, bottom} = stage.getBoundingClientRect(), far = 0.85 * stage.clientHeight;
      const cut = [...stage.querySelectorAll('.jp-OutputArea-child')].map(one => one.getBoundingClientRect())
        .find(box => box.top - top > 12 && box.top - top <= far && box.bottom > bottom + 4);
      return cut ? cut.top - top - 8 : far;
    };
    // the picture of a tape is seen whole, as large as the screen allows: its arrows lead from one side to the other
    const fit = pictures => {
      for (const picture of pictures) {
        const view = picture.querySelector('.view');
        if (!view) continue;
        picture.dataset.fits = 'yes';
        const beat = getComputedStyle(picture.closest('.minicell-beat')).zoom;
        picture.style.zoom = 1 / beat;
        const [wide, high] = [stage.clientWidth - SIDES, stage.clientHeight - ENDS];
        picture.style.zoom = Math.max(0.9, Math.min(wide / view.offsetWidth, high / view.offsetHeight)) / beat;
      }
    };
    new ResizeObserver(() => fit(stage.querySelectorAll('.mc2'))).observe(stage);
    new MutationObserver(() => fit(stage.querySelectorAll('.mc2:not([data-fits])')))
      .observe(stage, {childList: true, subtree: true});
    let asked = 0; // when the kernel was asked for another beat: a second press while it works is not a second beat
    const turn = way => {
      if (Date.now() - asked < PATIENCE) return;
      const more = way > 0 ? stage.scrollHeight - stage.clientHeight - stage.scrollTop > 4 : stage.scrollTop > 4;
      if (more) { stage.scrollBy(0, way > 0 ? onwards() : -0.85 * stage.clientHeight); return; }
      const button = panel.querySelector(way > 0 ? '.minicell-next' : '.minicell-back');
      if (button.disabled) return;
      asked = Date.now();
      button.click();
    };
    const keys = event => {
      if (!panel.isConnected) { document.removeEventListener('keydown', keys, true); return; }
      const [from, to] = event.shiftKey ? [stage, last] : [last, stage];
      const round = event.key === 'Tab' && panel.popover && document.activeElement === from && (() => to.focus());
      // a small window of the picture of a tape is closed first, and the editor of a card is left
      const small = event.key === 'Escape' && document.activeElement.closest('.mc2 :is(.account, .more[open]), .mc-card textarea');
      if (small) return;
      const act = {PageDown: () => turn(1), PageUp: () => turn(-1), Escape: leave}[event.key] || round;
      if (!act) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      act();
    };
    document.addEventListener('keydown', keys, true);
    // Tab leads to a control: what it moves is seen whole, where the screen is high enough
    stage.addEventListener('focusin', ({target}) => {
      const box = target.closest('.jp-OutputArea-child')?.getBoundingClientRect();
      const {bottom, height} = stage.getBoundingClientRect();
      if (box && target.matches(':focus-visible') && box.height < height && box.bottom > bottom)
        stage.scrollBy(0, box.bottom - bottom + 4);
    });
    last.addEventListener('click', leave);
    // a new beat begins at its top, and Tab leads to its first control
    new MutationObserver(() => { asked = 0; stage.scrollTop = 0; stage.focus(); }).observe(stage, {childList: true});
  };
  open();
})();
