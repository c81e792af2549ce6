// Controls beside a picture: each is told `act` when it is moved, and gives back what puts it to a value.
function panel(root) {
  const pad = html('div', root, 'pad');
  html('style', pad, '', `
.mc2 .pad{display:flex;flex-wrap:wrap;gap:10px 16px;align-items:center;padding:10px 0;font-size:14px;accent-color:var(--fwd)}
.mc2 .pad label{display:flex;flex-wrap:wrap;gap:2px 8px;align-items:center}
.mc2 .pad details{flex:1 1 260px}
.mc2 .pad details[open]{display:flex;flex-wrap:wrap;gap:6px 20px}
.mc2 .pad summary{flex-basis:100%;max-width:340px}`);
  return pad;
}
function named(element, name, attributes = {}) {
  for (const [key, value] of Object.entries({'aria-label': name, ...attributes})) element.setAttribute(key, value);
  return element;
}
function field(parent, label, type, attributes) { // an input after its label; a tick stands before its own
  const around = html('label', parent), input = Object.assign(html('input'), {type, ...attributes});
  around.append(...(type === 'range' ? [label, input] : [input, label]));
  return input;
}
function slider(parent, label, {ends: [min, max], step, unit = ''}, act) {
  const input = named(field(parent, label, 'range', {min, max, step}), label), told = html('output', input.parentNode);
  const say = () => input.setAttribute('aria-valuetext', told.textContent = Number(input.value) + unit);
  input.oninput = () => { say(); act(Number(input.value)); };
  return value => { input.value = value; say(); };
}
function tick(parent, label, of, act) {
  const input = field(parent, label, 'checkbox');
  input.onchange = () => act(input.checked);
  return value => { input.checked = value; };
}
