// The one widget of a lesson, and it is never displayed: `initialize` runs as soon as the kernel makes the model.
// It hands on what cards and presentations say and are told. In a page that was opened after its cards were shown, the kernel's
// updates find no card: there it writes them into the notebook's own outputs, so that saving the notebook saves them.
function initialize({model}) {
  const manager = model.widget_manager;
  const hear = event => {
    if (event.detail.lesson !== model.get('lesson')) return;
    try {
      model.send(event.detail);
      event.detail.heard = true;
    } catch { /* the kernel was restarted: nobody hears */ }
  };
  const render = (data, host) => { // as the notebook would
    const drawn = manager.rendermime.createRenderer(manager.rendermime.preferredMimeType(data, 'any'));
    host.replaceChildren(drawn.node); // a script runs on the page alone
    return drawn.renderModel({data, metadata: {}, trusted: true, setData() {}});
  };
  const cardOf = html => new DOMParser().parseFromString(html, 'text/html').querySelector('.mc-card');
  const draw = ({of, data, screen}) => {
    document.dispatchEvent(new CustomEvent('minicell-told', {detail: {of, data, screen, render}}));
    if (screen) return;
    for (const {outputs} of manager.context?.model.cells ?? []) {
      for (let k = 0; k < (outputs?.length ?? 0); k += 1) {
        const output = outputs.get(k).toJSON(), html = [output.data?.['text/html']].flat().join('');
        if (html.includes('mc-card') && html !== data['text/html'] && cardOf(html)?.dataset.of === of) outputs.set(k, {...output, data});
      }
    }
  };
  document.addEventListener('minicell', hear);
  model.on('msg:custom', draw);
  return () => document.removeEventListener('minicell', hear);
}
export default {initialize};
