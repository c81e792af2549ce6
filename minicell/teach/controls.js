// Controls beside a picture: each is told `act` when it is moved, and gives back what puts it to a value.
function panel(root) {
  const pad = html('div', root, 'pad');
  pad.addEventListener('keydown', event => event.stopPropagation()); // its keys are no commands of the notebook
  html('style', pad, '', `
.mc2 .pad{display:flex;flex-wrap:wrap;gap:10px 16px;align-items:center;padding:10px 0;font-size:14px;accent-color:var(--fwd)}
.mc2 .pad label,.mc2 .pad fieldset{display:flex;flex-wrap:wrap;gap:2px 8px;align-items:center;border:0;margin:0;padding:0}
.mc2 .pad fieldset label{margin-right:8px}
.mc2 .pad>label:has([type=range]){flex:1 1 100%}
.mc2 .pad>label>[type=range]{flex:1 1 300px;max-width:620px}
.mc2 .pad output{white-space:pre-wrap}
.mc2 .pad details{flex:1 1 260px}
.mc2 .pad details[open]{display:flex;flex-wrap:wrap;gap:6px 20px}
.mc2 .pad summary{flex-basis:100%;max-width:340px}`);
  return pad;
}
function named(element, name, attributes = {}) {
  for (const [key, value] of Object.entries({'aria-label': name, ...attributes})) element.setAttribute(key, value);
  return element;
}
function field(parent, label, type, attributes) { // an input after its label; a tick and a radio stand before theirs
  const around = html('label', parent), input = Object.assign(html('input'), {type, ...attributes});
  around.append(...(type === 'range' ? [label, input] : [input, label]));
  return input;
}
function slider(parent, label, {ends: [min, max], step, powers, unit = ''}, act) { // with `powers`, of tens
  const input = named(field(parent, label, 'range', {min, max, step}), label), told = html('output', input.parentNode);
  const now = () => (powers ? 10 ** input.value : Number(input.value));
  const say = () => input.setAttribute('aria-valuetext', told.textContent = Number(now().toPrecision(3)) + unit);
  input.oninput = () => { say(); act(now()); };
  return value => { input.value = powers ? Math.log10(value) : value; say(); };
}
function tick(parent, label, of, act) {
  const input = field(parent, label, 'checkbox');
  input.onchange = () => act(input.checked);
  return value => { input.checked = value; };
}
function options(parent, label, {names}, act) {
  const around = named(html('fieldset', parent), label, {role: 'radiogroup'}), group = `minicell ${Math.random()}`;
  html('legend', around, '', label);
  const all = names.map((name, value) => field(around, name, 'radio', {name: group, onchange: () => act(value)}));
  return value => { all[value].checked = true; };
}
