// How one number was made: a small dialog that lies beside the number.
function makeAccount({t, h, rows, p}, close) {
  const dialog = html('div', null, 'account');
  dialog.setAttribute('role', 'dialog');
  dialog.setAttribute('aria-label', t);
  button(dialog, '✕', 'Close (Esc)', close).setAttribute('aria-label', 'Close');
  html('div', dialog, 'title', t);
  const table = html('table', dialog), heads = html('tr', html('thead', table)), body = html('tbody', table);
  const sides = h.map(name => (name[0] === '>' ? 'right' : '')); // > begins the head of a column of numbers
  h.forEach((name, i) => html('th', heads, sides[i], name.replace('>', '')).setAttribute('scope', 'col'));
  for (const [kind, ...cells] of rows) {
    const row = html('tr', body, kind);
    cells.forEach((cell, i) => html('td', row, cells.length > 1 ? sides[i] : '', cell));
    if (cells.length === 1) row.firstChild.colSpan = h.length; // a heading between rows
  }
  if (p) html('p', dialog, '', p);
  return dialog;
}

// Lay the dialog above, below, left or right of its number: never over it, if possible all inside the view, and there
// where it hides the least of the numbers that are lit.
function layBeside(dialog, number, view, lit) {
  const edge = view.getBoundingClientRect(), {offsetWidth: w, offsetHeight: h} = dialog;
  const place = element => { // in the view's own coordinates
    const {x, y, width, height} = element.getBoundingClientRect();
    return {left: x - edge.x, top: y - edge.y, right: x - edge.x + width, bottom: y - edge.y + height};
  };
  const at = place(number), others = lit.map(place);
  const hidden = (left, top, r) => Math.max(0, Math.min(left + w, r.right) - Math.max(left, r.left))
    * Math.max(0, Math.min(top + h, r.bottom) - Math.max(top, r.top));
  const cost = ([left, top]) => (hidden(left, top, at) ? 1e9 : 0) + 1000 * Math.max(0, top + h - edge.height)
    + others.reduce((sum, r) => sum + hidden(left, top, r), 0);
  const middle = Math.min((at.top + at.bottom - h) / 2, edge.height - h);
  const places = [[at.left, at.top - h - 10], [at.left, at.bottom + 10],
    [at.left - w - 10, middle], [at.right + 10, middle]].map(([left, top]) => [
    Math.max(2, Math.min(left, edge.width - w - 2)), Math.max(2, top)]);
  const [left, top] = places.reduce((best, each) => (cost(each) < cost(best) ? each : best));
  dialog.style.left = `${left}px`;
  dialog.style.top = `${top}px`;
}
