// Plays the film of lesson 12 in `root`. It runs the network and its backward pass by itself, from the weights in
// `data`, for whatever stands on the pad. film.py makes the same pictures for a notebook without scripts.
function film(root, data) {
  const MOMENTS = 12, NEURONS = 32, DIGITS = 10, PIXELS = 15, STEPS = 2 * MOMENTS + 1;
  const LENGTH = 800; // ms a step, while it plays
  const EVERY = 0.01; // of the largest: a smaller gradient does not count as one
  const [LIT, PALE, LEVEL, QUIET] = ['dab', 'tile on', 'fh q2', 'rail']; // looks: see film.py
  const [FORWARD, BACKWARD, UNDER, BEHIND, FAINT] = ['dab f', 'dab o', 'dab t', 'fh q2', 0.08];
  const {seen: [sx, sy, side], grid: [gx, gy, wide, high], tube: [zero, unit, low, top],
    race: [rx, ry, rh, room], size: [W, H]} = data.at;
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const start = () => ({clean: [...data.bitmaps[data.target]], target: data.target, frames: data.frames, noise: 0.2,
    detached: data.detached, triangle: false, width: 1, height: 1});
  const set = start();
  let run = null, now = 0, playing = false, began = 0, request = 0;

  // ---- the network
  function slope(above) {
    if (set.triangle) return set.height * Math.max(0, 1 - Math.abs(above) / set.width);
    const place = (Math.asinh(above * Math.sinh(8) / 6) + 8) * 100; // the knots are closer together near 0
    const k = Math.min(Math.max(Math.floor(place), 0), data.knots.length - 2);
    const part = (above - data.knots[k]) / (data.knots[k + 1] - data.knots[k]);
    return data.slopes[k] + Math.min(Math.max(part, 0), 1) * (data.slopes[k + 1] - data.slopes[k]);
  }
  const range = n => [...Array(n).keys()];
  const sum = numbers => numbers.reduce((a, b) => a + b, 0);
  const norm = numbers => Math.sqrt(sum(numbers.map(v => v * v)));
  const most = numbers => Math.max(...numbers.map(Math.abs));
  function think() {
    const {w1, w2} = data, before = [], spikes = [], readouts = [];
    let v = Array(NEURONS).fill(0), u = Array(DIGITS).fill(0);
    for (const frame of set.frames) {
      const risen = v.map((value, n) => value + sum(frame.map((pixel, k) => pixel * w1[k][n])));
      const fired = risen.map(value => value > 1);
      v = risen.map((value, n) => value - fired[n]);
      u = u.map((value, d) => value + sum(fired.map((fires, n) => (fires ? w2[n][d] : 0))));
      before.push(risen); spikes.push(fired); readouts.push(u);
    }
    const odds = u.map(value => Math.exp((value - Math.max(...u)) / 4)), all = sum(odds);
    const pull = odds.map((odd, d) => (odd / all - (d === set.target)) / 4);
    const due = range(NEURONS).map(n => sum(pull.map((p, d) => p * w2[n][d]))); // of a spike, at every moment
    const felt = [], learnt = [], dw = range(PIXELS).map(() => Array(NEURONS).fill(0));
    let after = Array(NEURONS).fill(0); // the gradient of the membrane after its reset
    for (let moment = MOMENTS - 1; moment >= 0; moment--) {
      after = after.map((gradient, n) => gradient
        + (due[n] - (set.detached ? 0 : gradient)) * slope(before[moment][n] - 1));
      felt[moment] = after;
      dw.forEach((row, k) => row.forEach((_, n) => { row[n] += set.frames[moment][k] * after[n]; }));
      learnt[moment] = norm(dw.flat());
    }
    run = {before, spikes, readouts, loss: -Math.log(odds[set.target] / all), pull, felt, learnt,
      peak: most(data.knots.map(slope)) || 1, largest: most(felt.flat()), long: most(readouts.flat()) || 1,
      glow: before.map(values => values.map(value => Math.abs(slope(value - 1))))};
  }

  // ---- in words
  function short(v) { // as minicell.ink.numbers
    const minus = text => text.replaceAll('-', '−'), size = Math.abs(v);
    if (!Number.isFinite(v)) return minus(String(v)).replace('Infinity', '∞');
    if (size && !(size >= 1e-4 && size < 1e6)) {
      const [mantissa, exponent] = v.toExponential(2).split('e');
      return minus(`${Number(mantissa)}e${Number(exponent)}`);
    }
    const exact = [0, 1, 2, 3].find(d => Math.abs(v - v.toFixed(d)) <= 2e-6 * Math.max(1, size)
      && (!d || size * 10 ** d <= 25000));
    return minus(v.toFixed(exact === undefined ? Math.max(1, 2 - Math.floor(Math.log10(size))) : exact === 1 ? 2 : exact));
  }
  function says(step) {
    const last = run.readouts[Math.min(step, MOMENTS - 1)];
    if (step < MOMENTS) {
      const [first, second] = range(DIGITS).sort((a, b) => last[b] - last[a]);
      const fired = run.spikes[step].filter(Boolean).length;
      const wrong = set.frames[step].filter((pixel, k) => (pixel > 0.5) !== Boolean(set.clean[k])).length;
      return [`Moment ${step + 1} of ${MOMENTS}: ${fired} of ${NEURONS} neurons spike`,
        `${wrong} of ${PIXELS} pixels are wrong. Readout ${first} leads with ${short(last[first])}, `
        + `then ${second} with ${short(last[second])}.`];
    }
    if (step === MOMENTS)
      return [`The answer is ${best(last)}; it should be ${set.target}: loss ${short(run.loss)}`,
        'Backward begins at the readouts. Triangles show where each of them should go.'];
    const moment = STEPS - 1 - step, felt = run.felt[moment].map(Math.abs);
    const reached = felt.filter(v => v > EVERY * Math.max(...felt)).length;
    return [`Backward, moment ${moment + 1}: the gradient is ${short(norm(felt))} long`,
      `${reached} of ${NEURONS} membranes get more than 1 % of the largest. `
      + `|dW1| for this one digit, so far: ${short(run.learnt[moment])}.`];
  }
  const best = values => values.indexOf(Math.max(...values));

  // ---- drawn: each part has a name, and keeps its element
  const parts = new Map();
  let drawn = new Set();
  function put(name, tag, attributes, words) {
    let part = parts.get(name);
    if (!part) {
      part = {element: svg(tag, moving, {'data-name': name}), had: {}, words: null};
      parts.set(name, part);
    }
    for (const [key, value] of Object.entries({display: 'inline', ...attributes}))
      if (part.had[key] !== value) part.element.setAttribute(key, part.had[key] = value);
    if (words !== undefined && part.words !== words) part.element.textContent = part.words = words;
    drawn.add(name);
  }
  const tenth = value => Math.round(value * 10) / 10;
  const box = (name, x, y, width, height, look, rx = 0, opacity = 1) =>
    put(name, 'rect', {x: tenth(x), y: tenth(y), width: tenth(width), height: tenth(height), class: look, rx, opacity});
  const level = value => zero - unit * Math.min(Math.max(value, low), top);
  function pointer(name, x, y, size, way, across) {
    const tip = way * size, s = 0.9 * size;
    const points = across ? [[tip, 0], [-tip, s], [-tip, -s]] : [[0, -tip], [s, tip], [-s, tip]];
    put(name, 'path', {d: `M${points.map(([a, b]) => `${tenth(x + a)} ${tenth(y + b)}`).join('L')}Z`, class: BACKWARD});
  }
  const ease = part => { const p = Math.min(Math.max(part, 0), 1); return p * p * (3 - 2 * p); };
  const between = (a, b, part) => a + (b - a) * ease(part);

  // A step at a part of its way, from 0 to 1. Forward: the membranes rise, some spike, and those are reset.
  function draw(step, part) {
    drawn = new Set();
    const at = {step, part, forward: step < MOMENTS, backward: step > MOMENTS,
      moment: step <= MOMENTS ? Math.min(step, MOMENTS - 1) : STEPS - 1 - step};
    box('now', gx, gy + at.moment * high, NEURONS * wide, high, 'now');
    set.frames[at.moment].forEach(pixel);
    for (let n = 0; n < NEURONS; n++) {
      membrane(n, at);
      for (let row = 0; row < MOMENTS; row++) mark(n, row, at);
    }
    if (at.backward) lengths(at);
    put('legend', 'text', {x: gx, y: level(low) + 38, class: at.backward ? 'bf' : 'ff'},
      data.legend[Number(at.backward)]);
    race(at);
    for (const [name, {element, had}] of parts)
      if (!drawn.has(name) && had.display !== 'none') element.setAttribute('display', had.display = 'none');
  }
  function pixel(value, k) {
    const on = value > 0.5, x = sx + (k % 3) * side, y = sy + Math.floor(k / 3) * side;
    box(`p${k}`, x, y, side - 2, side - 2, on ? LIT : PALE, 2);
    if (on !== Boolean(set.clean[k]))
      put(`x${k}`, 'path', {d: `M${x + 7} ${y + 7}L${x + 15} ${y + 15}M${x + 15} ${y + 7}L${x + 7} ${y + 15}`,
        class: on ? 'chev' : 'pen'});
  }
  function membrane(n, {part, moment, forward, backward}) {
    const rest = when => (when < 0 ? 0 : run.before[when][n] - run.spikes[when][n]);
    const value = run.before[moment][n], lit = forward && run.spikes[moment][n] && part > 0.4 && part < 1;
    let now = rest(moment);
    if (backward) now = between(moment + 1 < MOMENTS ? run.before[moment + 1][n] : now, value, part * 2);
    else if (forward && part < 1)
      now = part < 0.65 ? between(rest(moment - 1), value, part / 0.45) : between(value, now, (part - 0.65) / 0.35);
    const [above, below] = [level(now), level(0)].sort((a, b) => a - b);
    const look = data.silent[n] ? QUIET : lit ? LIT : backward ? BACKWARD : LEVEL;
    const glow = look === BACKWARD ? FAINT + (1 - FAINT) * Math.min(run.glow[moment][n] / run.peak, 1) : 1;
    box(`v${n}`, gx + n * wide + 2, above, wide - 4, Math.max(below - above, 1), look, 0, Math.round(glow * 100) / 100);
    if (lit && part < 0.85) { // a spark, from the neuron to its mark
      const y = gy + (moment + 0.5) * high, fades = 1 - ease((part - 0.5) / 0.35);
      put(`z${n}`, 'rect', {x: tenth(gx + (n + 0.5) * wide - 1.5), y, width: 3, height: tenth(above - y), class: LIT,
        opacity: fades.toFixed(2)});
    }
  }
  function mark(n, row, {part, moment, forward, backward}) {
    const x = gx + n * wide, y = gy + row * high, felt = run.felt[row][n];
    if (run.spikes[row][n] && (!forward || row < moment || (row === moment && part > 0.45)))
      box(`s${row}-${n}`, x + 2, y + 2, wide - 4, high - 4, backward ? UNDER : FORWARD, 2);
    if (!backward || row < moment || Math.abs(felt) <= EVERY ** 2 * run.largest) return;
    let size = Math.max(Math.min(wide, high) * 0.5 * Math.sqrt(Math.abs(felt) / run.largest), 1);
    if (row === moment) size *= ease(part * 2 - (NEURONS - 1 - n) / NEURONS); // it comes from the readouts
    if (size > 0) pointer(`g${row}-${n}`, x + wide / 2, y + high / 2, size, felt > 0 ? -1 : 1);
  }
  function lengths({part, moment}) {
    const x = gx + NEURONS * wide + 8, look = 'bf';
    put('length', 'text', {x, y: gy - 12, class: look}, 'length');
    for (let row = part > 0.5 ? moment : moment + 1; row < MOMENTS; row++)
      put(`n${row}`, 'text', {x, y: gy + row * high + 11, class: look}, short(norm(run.felt[row])));
  }
  function race({step, moment, part, forward}) {
    let values = run.readouts[forward ? moment : MOMENTS - 1];
    if (forward && part < 1) {
      const before = moment ? run.readouts[moment - 1] : values.map(() => 0);
      values = values.map((value, d) => between(before[d], value, 2 * part - 1));
    }
    const first = best(values);
    values.forEach((value, d) => {
      const long = room * value / run.long;
      put(`t${d}`, 'text', {x: rx - room - 4, y: ry + d * rh + 16, class: d === set.target ? 'b end' : 'end'}, String(d));
      box(`u${d}`, rx + Math.min(long, 0), ry + d * rh + 3, Math.max(Math.abs(long), 1), rh - 6, d === first ? FORWARD : BEHIND);
      const size = 8 * Math.sqrt(Math.abs(run.pull[d]) / most(run.pull)) * (step === MOMENTS ? ease(part) : 1);
      if (step >= MOMENTS && size > 1) pointer(`d${d}`, rx, ry + (d + 0.5) * rh, size, run.pull[d] > 0 ? -1 : 1, true);
    });
    put('answer', 'text', {x: rx, y: ry + 12 * rh + 42, class: 'hero ff mid'}, String(first));
  }

  // ---- steps
  function show(step, moves = false) {
    now = step;
    const [title, caption] = says(step);
    head.textContent = title;
    line.textContent = caption;
    stage.setAttribute('aria-label', `${title}. ${caption}`);
    live.textContent = `${title}. ${caption}`;
    steps.value = step + 1;
    steps.setAttribute('aria-valuetext', title);
    back.disabled = step === 0;
    next.disabled = step === STEPS - 1;
    cancelAnimationFrame(request);
    if (!moves || calm.matches) return settle();
    began = performance.now();
    draw(step, 0);
    request = requestAnimationFrame(tick);
  }
  function tick(time) {
    const part = Math.max(0, time - began) / LENGTH;
    draw(now, Math.min(part, 1));
    if (part < 1) request = requestAnimationFrame(tick);
    else settle();
  }
  let waits = 0;
  function settle() {
    draw(now, 1);
    if (!playing) return;
    if (now === STEPS - 1) return play(false);
    clearTimeout(waits);
    waits = setTimeout(() => show(now + 1, true), calm.matches ? 1200 : now === MOMENTS ? 900 : 120);
  }
  function play(on) {
    playing = on;
    clearTimeout(waits);
    player.textContent = on ? 'Pause' : 'Play';
    if (on) show(now === STEPS - 1 ? 0 : now, true);
  }
  function go(step, moves = true) {
    play(false);
    show(Math.min(Math.max(step, 0), STEPS - 1), moves && step === now + 1);
  }

  // ---- the page around it
  function added(element, parent, attributes) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    parent.append(element);
    return element;
  }
  function html(tag, parent, properties = {}, attributes = {}) {
    return added(Object.assign(document.createElement(tag), properties), parent, attributes);
  }
  function svg(tag, parent, attributes) {
    return added(document.createElementNS('http://www.w3.org/2000/svg', tag), parent, attributes);
  }
  function slider(parent, label, least, largest, step, value, act, unit = '') {
    const around = html('label', parent, {textContent: label});
    const input = html('input', around, {type: 'range', min: least, max: largest, step, value}, {'aria-label': label});
    const told = html('output', around, {textContent: value + unit});
    input.addEventListener('input', () => { told.textContent = input.value + unit; act(Number(input.value)); });
    return Object.assign(input, {back: () => { input.value = value; told.textContent = value + unit; }});
  }
  root.textContent = '';
  root.addEventListener('keydown', event => event.stopPropagation()); // its keys are no commands of the notebook
  html('style', root, {textContent: data.look + LOOK});
  const body = html('div', root, {className: 'body'}), left = html('div', body, {className: 'pad'});
  const main = html('div', body, {className: 'main'});
  const head = html('div', main, {className: 'head'}), line = html('div', main, {className: 'line'});
  const live = html('div', main, {className: 'live'}, {'aria-live': 'polite'});
  const scroll = html('div', main, {className: 'scroll'}, {role: 'group', 'aria-label': `The picture. ${data.told}`});
  const stage = svg('svg', scroll, {viewBox: `0 0 ${W} ${H}`, role: 'img'});
  const ground = svg('g', stage, {}), moving = svg('g', stage, {}), over = svg('g', stage, {});
  ground.innerHTML = data.ground;
  over.innerHTML = data.over;
  const curve = svg('path', over, {class: 'pen o'});
  const bar = html('div', main, {className: 'bar'});
  const back = html('button', bar, {textContent: 'Back', onclick: () => go(now - 1)});
  const player = html('button', bar, {textContent: 'Play', onclick: () => play(!playing)});
  const next = html('button', bar, {textContent: 'Next', onclick: () => go(now + 1)});
  const steps = html('input', bar, {type: 'range', min: 1, max: STEPS, value: 1, className: 'steps'},
    {'aria-label': 'Step of the film'});
  steps.addEventListener('input', () => go(steps.value - 1));

  // ---- the pad
  html('div', left, {textContent: 'Draw a digit', className: 'name'});
  const pad = html('div', left, {className: 'pixels'}, {role: 'group', 'aria-label': 'Pad of 15 pixels'});
  const pixels = range(PIXELS).map(k => html('button', pad, {onclick: () => press(k)},
    {'aria-label': `Row ${Math.floor(k / 3) + 1}, column ${(k % 3) + 1}`, tabindex: k ? -1 : 0}));
  pad.addEventListener('keydown', event => {
    const by = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -3, ArrowDown: 3}[event.key];
    const to = pixels[pixels.indexOf(event.target) + by];
    if (!by) return;
    event.preventDefault();
    if (!to) return;
    event.target.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  });
  function press(k) {
    set.clean[k] = 1 - set.clean[k];
    blur();
  }
  const answer = html('div', left, {className: 'answer'}, {'aria-live': 'polite'});
  html('button', left, {textContent: 'Reset', onclick: reset});

  // ---- more: another digit and its noise; the same spikes, with another way back
  const more = html('details', main, {className: 'more'});
  html('summary', more, {textContent: 'More: the digit and its noise, and the way back'});
  const noise = slider(more, 'Noise', 0, 50, 1, 20, value => { set.noise = value / 100; blur(); }, ' %');
  const wish = html('label', more, {textContent: 'It should say'});
  const asked = html('select', wish, {}, {'aria-label': 'It should say'});
  range(DIGITS).forEach(d => html('option', asked, {value: d, textContent: d, selected: d === data.target}));
  asked.addEventListener('change', () => {
    set.target = Number(asked.value);
    set.clean = [...data.bitmaps[set.target]];
    blur();
  });

  const checkbox = (label, key) => {
    const around = html('label', more), input = html('input', around, {type: 'checkbox', checked: set[key]});
    around.append(label);
    input.addEventListener('change', () => { set[key] = input.checked; bend(); });
    return input;
  };
  const boxes = {detached: checkbox('Detach the reset', 'detached'),
    triangle: checkbox('Surrogate: a triangle', 'triangle')};
  const shaped = key => value => { set[key] = value; set.triangle = boxes.triangle.checked = true; bend(); };
  const shapes = [slider(more, 'Width', 0.02, 3, 0.02, 1, shaped('width')),
    slider(more, 'Height', 0.1, 10, 0.1, 1, shaped('height'))];

  function random(seed) { // mulberry32: the same digit gets the same noise
    return () => {
      seed = (seed + 0x6D2B79F5) | 0;
      let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }
  function blur() { // look at what is drawn at 12 moments, and answer
    const roll = random(12);
    set.frames = range(MOMENTS).map(() => set.clean.map(pixel => (roll() < set.noise ? 1 - pixel : pixel)));
    again(MOMENTS - 1);
  }
  function bend() {
    again(STEPS - 1);
  }
  function again(step) {
    think();
    set.clean.forEach((pixel, k) => pixels[k].setAttribute('aria-pressed', String(Boolean(pixel))));
    const inside = data.knots.filter(k => 1 + k >= low && 1 + k <= top), x = gx + NEURONS * wide + 20;
    const found = inside.map(slope), peak = most(found) || 1;
    const points = inside.map((k, i) => `${tenth(x + 34 * found[i] / peak)} ${tenth(level(1 + k))}`);
    curve.setAttribute('d', `M${points.join('L')}`);
    answer.textContent = `It says ${best(run.readouts[MOMENTS - 1])}.`;
    go(step, false);
  }
  function reset() {
    Object.assign(set, start());
    [noise, ...shapes].forEach(each => each.back());
    for (const [key, input] of Object.entries(boxes)) input.checked = set[key];
    asked.value = data.target;
    again(0);
  }
  new ResizeObserver(() => { scroll.tabIndex = scroll.scrollWidth > scroll.clientWidth ? 0 : -1; }).observe(scroll);
  reset();
}
const LOOK = `
.mc-film{background:var(--paper);color:var(--ink);font:14px/1.4 Inter,system-ui,"Segoe UI","DejaVu Sans",sans-serif;max-width:1000px;padding:12px;
border:1px solid var(--hair);border-radius:8px;box-sizing:border-box;container-type:inline-size}
.minicell-beat .mc-film{zoom:.69}
.mc-film .body{display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start}
.mc-film .main{flex:1 1 800px;min-width:0}
.mc-film .scroll{overflow-x:auto}
.mc-film .head{font-size:18px;font-weight:bold;min-height:26px}
.mc-film .line{color:var(--dim);min-height:22px}
.mc-film svg{display:block;width:100%;min-width:800px;height:auto;font-family:Inter,system-ui,"Segoe UI","DejaVu Sans",sans-serif}
.mc-film .live{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.mc-film .bar{display:flex;gap:8px;align-items:center}
.mc-film .steps{flex:1;min-width:80px}
.mc-film button,.mc-film select{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--dim);
border-radius:6px;padding:4px 12px;min-height:30px}
.mc-film button:disabled{color:var(--faint);border-color:var(--hair)}
.mc-film :focus-visible{outline:3px solid var(--fwd);outline-offset:2px}
.mc-film .pad{flex:0 0 100px;display:flex;flex-direction:column;gap:10px}
@container (max-width:915px){.mc-film .pad{flex:1 0 100%;flex-flow:row wrap;align-items:center}
.mc-film .pad input{width:150px}}
.mc-film .name,.mc-film .answer{font-weight:bold}
.mc-film .answer{font-size:18px;color:var(--fwd)}
.mc-film .pixels{display:grid;grid-template-columns:repeat(3,30px);gap:4px}
.mc-film .pixels button{width:30px;height:30px;min-height:0;padding:0;background:var(--tile)}
.mc-film .pixels button[aria-pressed=true]{background:var(--ink);box-shadow:inset 0 0 0 3px var(--ink)}
.mc-film label{display:flex;flex-wrap:wrap;gap:2px 8px;align-items:center}
.mc-film .pad input{width:100%;margin:0}
.mc-film .more{margin-top:8px}
.mc-film .more[open]{display:flex;flex-wrap:wrap;gap:4px 20px}
.mc-film summary{cursor:pointer;flex-basis:100%}
`;
