// The one widget of a lesson, and it is never displayed: `initialize` runs as soon as the kernel makes the model.
// It hands on what cards and figures say and are told, draws again the cards that the notebook cannot (of a page that was
// opened after they were shown), and puts the presentation, which is a widget, into the output that has only its text.
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
    event.detail.heard = true;
    const {heard, ...said} = event.detail;
    model.send(said);
  };
  const draw = ({of, html, figure}) => {
    if (figure) document.dispatchEvent(new CustomEvent('minicell-told', {detail: {of, figure}}));
    for (const old of document.querySelectorAll('.mc-card.live')) {
      if (old.dataset.of !== of) continue;
      const fresh = Object.assign(document.createElement('div'), {innerHTML: html}).firstElementChild;
      if (!fresh || old.dataset.at === fresh.dataset.at && old.dataset.card === fresh.dataset.card) continue;
      old.replaceWith(fresh);
      window.minicellCard(fresh);
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
