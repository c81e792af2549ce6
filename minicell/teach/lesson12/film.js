// The pad under the film of lesson 12: whatever is painted on it goes through the network, here and now, and the player
// gets the pictures of that. `data` has the weights; film.py draws the same pictures, and says what each of them is.
function listen(root, take) {
  const TIME = 12, NEURONS = 32, DIGITS = 10, PIXELS = data.clean.length, STEPS = 2 * TIME + 1;
  const EVERY = 0.01; // of the largest: a smaller gradient does not count as one
  const [LIT, PALE, LEVEL, QUIET] = ['dab', 'tile on', 'fh q2', 'rail']; // looks: see film.py
  const [FORWARD, BACKWARD, UNDER, BEHIND, FAINT] = ['dab f', 'dab o', 'dab t', 'fh q2', 0.08];
  const {seen: [sx, sy, across, below, less], grid: [gx, gy, wide, high], tube: [zero, unit, low, top],
    race: [rx, ry, rh, room], size: [w, h]} = data.at;
  const start = () => ({clean: [...data.clean], target: data.target, frames: data.frames, noise: 0.2,
    detached: data.detached, triangle: false, width: 1, height: 1});
  const set = start();
  let run = null;

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
    const {w1, w2, beta} = data, before = [], spikes = [], readouts = [];
    let v = Array(NEURONS).fill(0), u = Array(DIGITS).fill(0);
    for (const frame of set.frames) {
      const risen = v.map((value, n) => beta * value + sum(frame.map((pixel, k) => pixel * w1[k][n])));
      const fired = risen.map(value => value > 1);
      v = risen.map((value, n) => value - fired[n]);
      u = u.map((value, d) => beta * value + sum(fired.map((fires, n) => (fires ? w2[n][d] : 0))));
      before.push(risen); spikes.push(fired); readouts.push(u);
    }
    const odds = u.map(value => Math.exp((value - Math.max(...u)) / 4)), all = sum(odds);
    const pull = odds.map((odd, d) => (odd / all - (d === set.target)) / 4);
    const due = range(NEURONS).map(n => sum(pull.map((p, d) => p * w2[n][d]))); // of a spike, at the last time step
    const felt = [], learnt = [], dw = range(PIXELS).map(() => Array(NEURONS).fill(0));
    let after = Array(NEURONS).fill(0); // the gradient of the membrane after its reset
    for (let time = TIME - 1; time >= 0; time--) {
      felt[time] = after.map((gradient, n) => gradient
        + (due[n] * beta ** (TIME - 1 - time) - (set.detached ? 0 : gradient)) * slope(before[time][n] - 1));
      dw.forEach((row, k) => row.forEach((_, n) => { row[n] += set.frames[time][k] * felt[time][n]; }));
      learnt[time] = norm(dw.flat());
      after = felt[time].map(gradient => beta * gradient);
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
  function says(step, rising) {
    const last = run.readouts[Math.min(step, TIME - 1)];
    if (step < TIME) {
      const [first, second] = range(DIGITS).sort((a, b) => last[b] - last[a]);
      const fired = run.spikes[step].filter(Boolean).length, on = set.frames[step].filter(pixel => pixel > 0).length;
      return [`Time step ${step + 1} of ${TIME}: ${rising ? `${fired} of ${NEURONS} neurons spike` : 'those that spiked are reset'}`,
        `${on} of ${PIXELS} pixels are on. Readout ${first} leads with ${short(last[first])}, `
        + `then ${second} with ${short(last[second])}.`];
    }
    if (step === TIME && set.target === null)
      return [`The answer is ${best(last)}`, 'This digit is yours: only you know whether that is right. Say so under More, and the gradient comes back.'];
    if (step === TIME)
      return [`The answer is ${best(last)}; it should be ${set.target}: loss ${short(run.loss)}`,
        'The backward pass begins at the readouts. Triangles show where each of them should go.'];
    const back = STEPS - 1 - step, felt = run.felt[back].map(Math.abs);
    const reached = felt.filter(v => v > EVERY * Math.max(...felt)).length;
    return [`Backward, time step ${back + 1}: the gradient is ${short(norm(felt))} long`,
      `${reached} of ${NEURONS} membranes get more than 1 % of the largest. `
      + `|dW1| for this one digit, so far: ${short(run.learnt[back])}.`];
  }
  const best = values => values.indexOf(Math.max(...values));

  // ---- drawn: the shapes of one picture by key, each [layer, tag, attributes]
  const tenth = value => Math.round(value * 10) / 10;
  const level = value => zero - unit * Math.min(Math.max(value, low), top);
  function scene(step, rising) {
    const shapes = new Map(data.still.map(([key, ...shape]) => [key, shape]));
    const backward = step > TIME, at = step <= TIME ? Math.min(step, TIME - 1) : STEPS - 1 - step;
    const put = (key, layer, tag, attributes) => shapes.set(key, [layer, tag, attributes]);
    const box = (key, x, y, width, height, look, rx, layer = 3) => put(key, layer, 'rect',
      {x: tenth(x), y: tenth(y), width: tenth(width), height: tenth(height), class: look, ...(rx && {rx})});
    const text = (key, x, y, T, look) => put(key, 4, 'text', {x: tenth(x), y: tenth(y), T, class: look});
    function pointer(key, x, y, size, way, across) {
      const tip = way * size, s = 0.9 * size;
      const points = across ? [[tip, 0], [-tip, s], [-tip, -s]] : [[0, -tip], [s, tip], [-s, tip]];
      const d = points.map(([a, b]) => `${(x + a).toFixed(1)} ${(y + b).toFixed(1)}`).join('L');
      put(key, 4, 'path', {d: `M${d}Z`, class: BACKWARD});
    }
    box('now', gx, gy + at * high, NEURONS * wide, high, 'now', 0, 1);
    const side = across / data.columns;
    for (const [name, pixels, top, s] of [['p', set.frames[at], sy, side], ['c', set.clean, below, less * side]])
      pixels.forEach((value, k) => {
        box(`${name}${k}`, sx + (k % data.columns) * s, top + Math.floor(k / data.columns) * s, s - 1, s - 1, value ? LIT : PALE);
        if (value) shapes.get(`${name}${k}`)[2].opacity = value;
      });
    for (let n = 0; n < NEURONS; n++) {
      const fires = run.spikes[at][n], value = run.before[at][n] - (backward || rising ? 0 : fires);
      const [above, below] = [level(value), level(0)].sort((a, b) => a - b), glows = backward && !data.silent[n];
      box(`v${n}`, gx + n * wide + 2, above, wide - 4, Math.max(below - above, 1),
        glows ? BACKWARD : data.silent[n] ? QUIET : rising && fires ? LIT : LEVEL);
      if (glows) shapes.get(`v${n}`)[2].opacity =
        Math.round((FAINT + (1 - FAINT) * Math.min(run.glow[at][n] / run.peak, 1)) * 100) / 100;
      for (let row = 0; row < TIME; row++) {
        const x = gx + n * wide, y = gy + row * high, felt = run.felt[row][n];
        if (run.spikes[row][n] && row <= (backward ? TIME : at))
          box(`s${row}-${n}`, x + 2, y + 2, wide - 4, high - 4, backward ? UNDER : FORWARD, 2);
        if (backward && row >= at && Math.abs(felt) > EVERY ** 2 * run.largest)
          pointer(`g${row}-${n}`, x + wide / 2, y + high / 2,
            Math.max(Math.min(wide, high) * 0.5 * Math.sqrt(Math.abs(felt) / run.largest), 1), felt > 0 ? -1 : 1);
      }
    }
    if (backward) {
      text('length', gx + NEURONS * wide + 8, gy - 12, 'length', 'bf');
      for (let row = at; row < TIME; row++)
        text(`n${row}`, gx + NEURONS * wide + 8, gy + row * high + 11, short(norm(run.felt[row])), 'bf');
    }
    text('legend', gx, level(low) + 38, data.legend[Number(backward)], backward ? 'bf' : 'ff');
    const values = run.readouts[step <= TIME ? at : TIME - 1], first = best(values);
    values.forEach((value, d) => {
      const long = room * value / run.long, size = 8 * Math.sqrt(Math.abs(run.pull[d]) / most(run.pull));
      text(`t${d}`, rx - room - 4, ry + d * rh + 16, String(d), d === set.target ? 'b end' : 'end');
      box(`u${d}`, rx + Math.min(long, 0), ry + d * rh + 3, Math.max(Math.abs(long), 1), rh - 6,
        d === first ? FORWARD : BEHIND);
      if (step >= TIME && set.target !== null && size > 1) pointer(`d${d}`, rx, ry + (d + 0.5) * rh, size, run.pull[d] > 0 ? -1 : 1, true);
    });
    text('answer', rx, ry + 12 * rh + 42, String(first), 'hero ff mid');
    text('of', rx, ry + 12 * rh + 64, data.answer[Number(step < TIME - 1)], 'dim mid');
    const inside = data.knots.filter(k => 1 + k >= low && 1 + k <= top), x = gx + NEURONS * wide + 20;
    const found = inside.map(slope), peak = most(found) || 1;
    const points = inside.map((k, i) => `${(x + 34 * found[i] / peak).toFixed(1)} ${level(1 + k).toFixed(1)}`);
    put('line surrogate', 5, 'path', {d: `M${points.join('L')}`, class: 'pen o'});
    return shapes;
  }
  const course = () => (set.target === null ? data.forward : data.whole); // without a digit that is due nothing comes back
  function layout() { // all pictures, as the player takes them
    const nodes = new Map(), {line, at} = course();
    let before = new Map();
    const kept = data.places.slice(0, at.length);
    kept.forEach(([step, rising], k) => {
      const shapes = scene(step, rising);
      for (const key of before.keys()) if (!shapes.has(key)) nodes.get(key)[1][2].push([k, 0]);
      for (const [key, [layer, tag, attributes]] of shapes) {
        if (!nodes.has(key)) nodes.set(key, [layer, [tag, key, []]]);
        nodes.get(key)[1][2].push([k, {opacity: null, rx: null, ...attributes}]);
      }
      before = shapes;
    });
    const s = kept.map(([step, rising], k) => {
      const [t, c] = says(step, rising);
      return {t, c, at: at[k], go: [], jump: ''};
    });
    return {w, h, n: [...nodes.values()].sort((a, b) => a[0] - b[0]).map(each => each[1]), s, tape: line, l: {}, r: {}};
  }

  // ---- the pad
  const pad = panel(root);
  html('style', pad, '', PAD);
  html('b', pad, '', 'Paint a digit');
  const grid = named(html('div', pad, 'pixels'), `Pad of ${PIXELS} pixels`, {role: 'group'});
  grid.style.setProperty('--columns', data.columns);
  const pixels = range(PIXELS).map(k => named(button(grid, '', '', () => {}),
    `Row ${Math.floor(k / data.columns) + 1}, column ${(k % data.columns) + 1}`, {tabindex: k ? -1 : 0}));
  grid.addEventListener('keydown', event => {
    const by = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -data.columns, ArrowDown: data.columns}[event.key];
    const to = pixels[pixels.indexOf(event.target) + by];
    if (!by) return;
    event.preventDefault();
    if (!to) return;
    event.target.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  });
  let brush = null; // whether the pointer that is down paints or wipes
  const stroke = (event, on) => {
    const k = pixels.indexOf(event.target);
    if (k >= 0 && on !== null) paint(k, on);
  };
  const wants = event => !(set.clean[pixels.indexOf(event.target)] > 0.5);
  grid.onclick = event => event.detail || stroke(event, wants(event)); // by a key: a pointer has painted already
  grid.onpointerdown = event => {
    event.target.releasePointerCapture(event.pointerId); // a finger would keep to its first pixel
    stroke(event, brush = wants(event));
  };
  grid.onpointerover = event => event.buttons && stroke(event, brush);
  addEventListener('pointerup', () => { brush = null; });
  const answer = html('b', pad, 'answer');
  answer.setAttribute('aria-live', 'polite');
  button(pad, 'Clear', 'An empty pad', () => own(Array(PIXELS).fill(0)));
  button(pad, 'Reset', 'The first digit, and the way back as it was', reset);
  const more = html('details', pad);
  html('summary', more, '', 'More: what it should say, and the way back');
  const noise = data.encoder !== 'flipped' ? () => {} : slider(more, 'Noise', {ends: [0, 50], step: 1, unit: ' %'},
    value => { set.noise = value / 100; encode(); });
  const asked = named(html('select', html('label', more, '', 'It should say')), 'It should say');
  for (const d of ['–', ...range(DIGITS)]) Object.assign(html('option', asked, '', d), {value: d});
  asked.onchange = () => {
    set.target = asked.value === '–' ? null : Number(asked.value);
    again(2 * TIME);
  };
  const last = () => again(data.places.length - 1);
  const boxes = Object.entries({detached: 'Detach the reset', triangle: 'Surrogate: a triangle'}).map(([key, label]) =>
    [key, tick(more, label, {}, on => { set[key] = on; last(); })]);
  const shaped = key => value => {
    set[key] = value;
    boxes[1][1](set.triangle = true);
    last();
  };
  const shape = {width: slider(more, 'Width', {ends: [0.02, 3], step: 0.02}, shaped('width')),
    height: slider(more, 'Height', {ends: [0.1, 10], step: 0.1}, shaped('height'))};
  const still = () => { // the controls say what is set
    noise(100 * set.noise);
    for (const [key, put] of [...boxes, ...Object.entries(shape)]) put(set[key]);
  };

  function paint(k, on) { // a stroke of handwriting is wider than a pixel: its neighbours get some grey
    const clean = [...set.clean], near = (n, row) => Math.floor(n / data.columns) === Math.floor(k / data.columns) + row;
    const beside = [[k - 1, 0], [k + 1, 0], [k - data.columns, -1], [k + data.columns, 1]].filter(each => near(...each));
    for (const [n] of on && PIXELS > 15 ? beside : []) if (n in clean) clean[n] = Math.max(clean[n], 0.4);
    clean[k] = Number(on);
    own(clean);
  }
  function own(clean) { // the learner's own digit: nobody has said what it should be
    Object.assign(set, {clean, target: null});
    encode();
  }
  function random(seed) { // mulberry32: the same digit gets the same noise
    return () => {
      seed = (seed + 0x6D2B79F5) | 0;
      let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }
  function encode() { // as the notebook's encoders do it, and answer
    const roll = random(12);
    const see = {flipped: pixel => (roll() < set.noise ? 1 - pixel : pixel), poisson: pixel => Number(roll() < pixel),
      latency: (pixel, time) => Number(pixel > 0.05 && Math.round((1 - pixel) * (TIME - 1)) === time)}[data.encoder];
    set.frames = range(TIME).map(time => set.clean.map(pixel => (see ? see(pixel, time) : pixel)));
    again(2 * (TIME - 1));
  }
  function look() {
    think();
    set.clean.forEach((pixel, k) => {
      pixels[k].setAttribute('aria-pressed', String(pixel > 0.5));
      pixels[k].style.setProperty('--grey', `${100 * pixel}%`);
    });
    answer.textContent = `It says ${best(run.readouts[TIME - 1])}.`;
    asked.value = set.target ?? '–';
  }
  function again(place) {
    look();
    take([layout()]);
    take.go(Math.min(place, course().at.length - 1), true);
  }
  function reset() {
    Object.assign(set, start());
    still();
    again(0);
  }
  still();
  look(); // the first pictures are there already
}
const PAD = `
.mc2 .pad .answer{font-size:18px;color:var(--fwd)}
.mc2 .pixels{display:grid;grid-template-columns:repeat(var(--columns),28px);gap:3px;touch-action:none}
.mc2 .pixels button{width:28px;height:28px;padding:0;border-radius:6px;background:color-mix(in srgb,var(--ink) var(--grey),var(--tile))}
.mc2 .pad select{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--dim);border-radius:6px;min-height:30px}
`;
