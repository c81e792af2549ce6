// The least that shows saved widgets: it stands in for html-manager, which is not installed with ipywidgets, and
// shows them by the views of `widgetsnbextension`, which is. It takes the place of embed-amd.js in a saved page.
(async () => {
  const library = await new Promise(resolve => {
    // what the library asks the classic Notebook for as it is loaded
    window.Jupyter = {version: '6.5.0'};
    window.requirejs = Object.assign(() => {}, {config() {}});
    window.define = (names, make) => resolve(make({id: 'widgets', uri: ''}));
    document.head.append(Object.assign(document.createElement('script'), {src: 'https://file.invalid/extension.js'}));
  });
  const read = script => JSON.parse(script.textContent);
  const states = read(document.querySelector('script[type="application/vnd.jupyter.widget-state+json"]')).state;
  const models = {};
  const manager = {
    get_model: id => models[id] ??= make(id, states[id]),
    async create_view(model, options = {}) {
      const view = new library[model.get('_view_name')]({model, options});
      view.listenTo(model, 'destroy', view.remove);
      await view.render();
      return view;
    },
    callbacks: () => ({}),
    inline_sanitize: text => text,
    resolveUrl: url => Promise.resolve(url),
  };

  async function make(id, {model_name, model_module, state}) {
    const attributes = await library[model_name]._deserialize_state(state, manager);
    const model = new library[model_name](attributes, {model_id: id, widget_manager: manager});
    return Object.assign(model, {name: model_name, module: model_module});
  }

  await Promise.all(Object.keys(states).map(manager.get_model));
  for (const script of document.querySelectorAll('script[type="application/vnd.jupyter.widget-view+json"]')) {
    const view = await manager.create_view(await manager.get_model(read(script).model_id));
    const place = document.createElement('div');
    script.before(place);
    view.luminoWidget.constructor.attach(view.luminoWidget, place);
  }
})();
