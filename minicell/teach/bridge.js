// The one widget of a lesson, and it is never displayed: `initialize` runs as soon as the kernel makes the model.
// It hands on what cards and figures say and are told, and puts the presentation, which is a widget, into the output that
// has only its text. In a page that was opened after its cards were shown, the kernel's updates find no card: there it
// writes them into the notebook's own outputs, so that saving the notebook saves them, and draws those that stand elsewhere.
async function fill(host, manager) {
  const id = host.dataset.model;
  if (host.dataset.filled || !manager.has_model(id)) return;
  host.dataset.filled = 'yes';
  const view = await manager.create_view(await manager.get_model(id));
  const widget = view.luminoWidget ?? view.pWidget;
  for (const type of ['before-attach', 'after-attach']) {
    if (type === 'after-attach') host.replaceChildren(widget.node);
    widget.processMessage({type, isConflatable: false, conflate: () => false});
  }
}

function initialize({model}) {
  const manager = model.widget_manager;
  const hosts = () => { for (const host of document.querySelectorAll('.minicell-host')) fill(host, manager); };
  const hear = event => {
    if (event.detail.lesson !== model.get('lesson')) return;
    try {
      model.send(event.detail);
      event.detail.heard = true;
    } catch { /* the kernel was restarted: nobody hears */ }
  };
  const cardOf = html => new DOMParser().parseFromString(html ?? '', 'text/html').querySelector('.mc-card');
  const draw = ({of, data, figure}) => {
    if (figure) return document.dispatchEvent(new CustomEvent('minicell-told', {detail: {of, figure}}));
    for (const {outputs} of manager.context?.model.cells ?? []) {
      for (let k = 0; k < (outputs?.length ?? 0); k += 1) {
        const output = outputs.get(k).toJSON(), html = [output.data?.['text/html']].flat().join('');
        if (html.includes('mc-card') && html !== data['text/html'] && cardOf(html)?.dataset.of === of) outputs.set(k, {...output, data});
      }
    }
    const fresh = cardOf(data['text/html']);
    for (const old of document.querySelectorAll('.mc-card.live')) {
      if (!fresh || old.dataset.of !== of || old.dataset.at === fresh.dataset.at && old.dataset.card === fresh.dataset.card) continue;
      const drawn = fresh.cloneNode(true);
      old.replaceWith(drawn);
      window.minicellCard(drawn);
    }
  };
  document.addEventListener('minicell', hear);
  document.addEventListener('minicell-host', hosts);
  model.on('msg:custom', draw);
  hosts();
  return () => {
    document.removeEventListener('minicell', hear);
    document.removeEventListener('minicell-host', hosts);
  };
}
export default {initialize};
