// Motion: all that moves in one step runs together, and the next step ends it at once.
const MOVE = 260, FADE = 90; // milliseconds
const MOVING = new Set(['x', 'y', 'width', 'height', 'rx', 'd', 'opacity']);
const NUMBER = /-?\d*\.?\d+(?:e-?\d+)?/g;

function makeMotion() {
  let running = [], began = 0, frame = 0;
  // draw(part) is called with 0, then as time goes by, and end() when it is over.
  function add(time, draw, end, wait = 0) {
    draw(0);
    running.push({time, draw, end, wait});
  }
  function start() {
    began = performance.now();
    if (running.length) frame = requestAnimationFrame(tick);
  }
  function tick(time) {
    running = running.filter(({time: length, draw, end, wait}) => {
      const part = Math.max(0, (time - began - wait) / length);
      if (part >= 1) end();
      else draw(1 - (1 - part) ** 3); // fast first
      return part < 1;
    });
    frame = running.length ? requestAnimationFrame(tick) : 0;
  }
  function settle() {
    cancelAnimationFrame(frame);
    for (const {end} of running) end();
    running = [];
  }
  // What comes: a line that draws itself, a shape that waits for it, or any other, once what goes is gone.
  function show(element, {draw, late}) {
    const style = element.style;
    const fade = (time, wait) => add(time, part => { style.opacity = part; }, () => { style.opacity = ''; }, wait);
    if (!draw) return late ? fade(150, late) : fade(MOVE / 2, MOVE / 2);
    element.setAttribute('pathLength', 1);
    style.strokeDasharray = 1;
    add(draw, part => { style.strokeDashoffset = 1 - part; }, () => {
      style.strokeDasharray = style.strokeDashoffset = '';
      element.removeAttribute('pathLength');
    });
  }
  return {add, start, settle, show};
}

// What lies between two values of an attribute, if they differ in their numbers alone; the flags of an arc cannot move.
function between(name, from, to) {
  if (!MOVING.has(name) || from == null) return null;
  const [a, b] = [String(from), String(to)];
  const starts = a.match(NUMBER) || [], ends = b.match(NUMBER) || [], words = b.split(NUMBER);
  const flags = d => (d.match(/A[^A-Z]*/g) || []).map(arc => arc.match(NUMBER).slice(3, 5)).join();
  if (a.split(NUMBER).join() !== words.join() || flags(a) !== flags(b)) return null;
  const at = (i, part) => Math.round((+starts[i] + (ends[i] - starts[i]) * part) * 100) / 100;
  return part => words.map((word, i) => (i < ends.length ? word + at(i, part) : word)).join('');
}
