// A picture that follows its controls. What is moved goes to the kernel as a DOM event, which the lesson's bridge hears;
// the next numbers come back as one. While the kernel draws, only the last place of a control is kept.
function listen(root, take) {
  const WAIT = 8000, REST = 300; // milliseconds: for an answer, and until the control is at rest
  const pad = panel(root), values = {}, puts = {}, numbers = [0, 0]; // numbers: of the picture that each layout has
  const narrow = () => Boolean(root.querySelector('.narrow'));
  let waiting = 0, next = null, rest = 0;
  root.querySelector('.view').before(pad);

  const send = act => {
    if (waiting) { next = act || next || 'move'; return; }
    const event = new CustomEvent('minicell', {detail: {...data.of, kind: 'figure', values, act, narrow: narrow()}});
    document.dispatchEvent(event);
    const why = event.detail.heard ? 'The kernel is busy, or was restarted. If this line stays, run this cell again.'
      : 'There is no kernel behind this figure: run the lesson’s first cell, then this one.';
    waiting = setTimeout(() => { waiting = 0; said.textContent = why; }, event.detail.heard ? WAIT : 0);
  };
  const more = data.controls.some(one => one.folded) && html('details', pad);
  if (more) html('summary', more, '', 'More');
  for (const {name, label, value, folded, ...of} of data.controls) {
    const kind = of.names.length ? options : of.ends.length ? slider : tick;
    puts[name] = kind(folded ? more : pad, label, of, value => { values[name] = value; send(); });
    puts[name](values[name] = value);
  }
  const press = data.run && button(pad, data.run, '', () => send(running ? 'stop' : 'run'));
  const bar = data.run && named(html('progress', pad), data.run), said = html('output', pad);
  if (more) pad.append(more);
  let running = false;

  const show = told => {
    if (told.layouts) {
      const moved = numbers[Number(narrow())] !== told.number;
      told.layouts.forEach((one, k) => { if (one) numbers[k] = told.number; });
      take(told.layouts, moved);
    }
    for (const [name, value] of Object.entries(told.values ?? {})) puts[name](values[name] = value);
    clearTimeout(rest);
    if (told.rests) rest = setTimeout(() => waiting || send('rest'), REST);
    running = Boolean(told.running);
    said.setAttribute('aria-live', running ? 'off' : 'polite');
    if (told.said !== said.textContent) said.textContent = told.said ?? '';
    if (!press) return;
    press.textContent = running ? 'Stop' : data.run;
    Object.assign(bar, {max: told.of, value: told.done});
  };
  const hear = ({detail}) => {
    if (!root.isConnected) return document.removeEventListener('minicell-told', hear);
    if (detail.of !== data.of.of) return;
    clearTimeout(waiting);
    waiting = 0;
    show(JSON.parse(detail.figure));
    const act = next;
    next = null;
    if (act) send(act === 'move' ? undefined : act);
  };
  document.addEventListener('minicell-told', hear);
  show(data.told);
}
