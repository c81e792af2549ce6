// What ipywidgets leaves out for a hand at the keyboard and for an ear: a slider's handle, and a box of text without a
// label, take the focus and have no name; radio buttons are no group, so that the arrow keys do not choose.
(() => {
  if (window.minicellNames) return;
  window.minicellNames = true;
  let waiting = 0, groups = 0;
  const words = of => of?.querySelector('.widget-label')?.textContent.trim() || of?.title;
  const name = (one, said) => { if (said) one.setAttribute('aria-label', said); };
  const all = () => {
    waiting = 0;
    for (const handle of document.querySelectorAll('.widget-slider .noUi-handle:not([aria-label])'))
      name(handle, words(handle.closest('.widget-slider')));
    for (const box of document.querySelectorAll('.widget-textarea textarea:not([aria-label])'))
      name(box, words(box.closest('.widget-textarea')) || box.title);
    for (const group of document.querySelectorAll('.widget-radio-box:not([role])')) {
      group.setAttribute('role', 'radiogroup');
      name(group, words(group.closest('.widget-radio')) || group.title);
      groups += 1;
      for (const radio of group.querySelectorAll('input')) radio.name = `minicell-radio-${groups}`;
      // else JupyterLab takes them, and goes to the next cell
      group.addEventListener('keydown', event => { if (event.key.startsWith('Arrow')) event.stopPropagation(); });
    }
  };
  const soon = () => { waiting ||= setTimeout(all, 200); };
  new MutationObserver(soon).observe(document.body, {childList: true, subtree: true});
  soon();
})();
