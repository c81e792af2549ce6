// The first page. `told` holds the films of the scenes, the scenes, and where Python comes from; play() draws a picture.
const find = id => document.getElementById(id);
const {films, scenes, python} = told;
const root = find('picture'), code = find('code'), gutter = find('gutter');
const choices = {bprop: 'document', loss: '1', slope: 'written'};
const SOON = 400, REST = 500; // ms: until an error is told, until the accounts are asked for
let scene = 0, film = films.sum, step = 0;

// ---- the picture
const picture = play(root, {layouts: film.layouts, open: 0}, '');
root.addEventListener('tapestep', ({detail}) => {
  step = detail;
  if (scene !== 'type') showScene(sceneAt(step));
  share();
});
const steps = () => film.layouts.find(Boolean).s;
// The place of a step that is a word or a number from 1; the last where there is none of that name.
function place(name) {
  if (typeof name === 'number') return Math.min(name, steps().length) - 1;
  const found = steps().findIndex(({jump}) => jump.toLowerCase() === name);
  return found < 0 ? steps().length - 1 : found;
}
function sceneAt(now) { // of those that share the program, the last one that has begun
  const shared = scenes.map((one, k) => k).filter(k => programOf(k) === film);
  return shared.filter(k => place(scenes[k].since) <= now).pop() ?? scene;
}
function programOf(k) {
  const {program} = scenes[k];
  if (program === 'document 1') return films[`${choices.bprop} ${choices.loss}`];
  return program === 'written' ? films[choices.slope] : films[program];
}
function project(next, at, from = at) { // another film, or the same, at a step; `from`: the step before, to move from
  root.parentNode.classList.remove('stale');
  const before = scene;
  if (film !== next) {
    film = next;
    scene = 'type'; // what is passed on the way is no scene of the reader's
    picture(next.layouts, true);
  }
  scene = before;
  picture.go(from, true);
  picture.go(at);
}

// ---- scenes
const links = [...document.querySelectorAll('[data-scene]')].filter(one => one.matches('a'));
const sections = [...document.querySelectorAll('section[data-scene]')];
function showScene(number) {
  scene = number;
  for (const one of sections) one.classList.toggle('shown', one.dataset.scene === String(number));
  for (const one of document.querySelectorAll('.tabs a')) {
    if (one.dataset.scene === String(number)) one.setAttribute('aria-current', 'step');
    else one.removeAttribute('aria-current');
  }
  for (const radio of document.querySelectorAll('[data-choice]')) {
    radio.checked = choices[radio.dataset.choice] === radio.value;
  }
  document.querySelector('.skip-on').hidden = number === 'type' || number >= 2;
  for (const fix of document.querySelectorAll('[data-fix]')) fix.disabled = choices.bprop === 'right';
}
function open(number) {
  if (number === 'type') return edit(code.value || film.code);
  showScene(number);
  const next = programOf(number), was = film;
  film = next;
  const at = place(scenes[number].opens);
  film = was;
  project(next, at, Math.max(0, at - 1));
}
for (const link of links) {
  link.addEventListener('click', event => {
    event.preventDefault();
    open(link.dataset.scene === 'type' ? 'type' : Number(link.dataset.scene));
    share();
  });
}
for (const radio of document.querySelectorAll('[data-choice]')) {
  radio.addEventListener('change', () => {
    choices[radio.dataset.choice] = radio.value;
    open(scene);
  });
}
for (const fix of document.querySelectorAll('[data-fix]')) {
  fix.addEventListener('click', () => {
    choices.bprop = 'right';
    open(scene);
  });
}
for (const button of document.querySelectorAll('[data-edit]')) button.addEventListener('click', () => edit(film.code));

// ---- a link to what is shown
const pack = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
  .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const unpack = text => new TextDecoder().decode(Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')),
  letter => letter.charCodeAt(0)));
let sharing = 0, touched = false;
for (const kind of ['pointerdown', 'keydown', 'input']) addEventListener(kind, () => { touched = true; }, {capture: true});
function share() { // soon: a browser refuses too many at once; and not before the reader has done anything
  clearTimeout(sharing);
  if (!touched) return;
  sharing = setTimeout(() => history.replaceState(null, '', address()), 150);
}
function address() {
  const said = new URLSearchParams();
  if (scene === 'type') said.set('program', pack(code.value));
  else {
    said.set('scene', scene + 1);
    if (scenes[scene].program === 'document 1') for (const name of ['bprop', 'loss']) said.set(name, choices[name]);
    if (scenes[scene].program === 'written') said.set('slope', choices.slope);
  }
  said.set('step', step + 1);
  return `#${said}`;
}
function follow() { // the link that the page was opened with
  if (location.hash === '#type') return open('type');
  const said = new URLSearchParams(location.hash.slice(1)), at = Number(said.get('step')) || 0;
  if (said.has('program')) {
    let text = '';
    try { text = unpack(said.get('program')); } catch { /* the link was cut: there is nothing to show */ }
    edit(text || films.sum.code);
    wanted = at;
    const known = Object.values(films).find(one => one.code === text);
    if (known) return project(known, Math.max(0, at - 1));
    root.parentNode.classList.add('stale');
    say(text ? 'This program came with the link. Press Run to see its picture.' : 'The link is not whole.');
    return;
  }
  const number = Number(said.get('scene')) - 1;
  if (!scenes[number]) return;
  for (const name in choices) {
    const options = [...document.querySelectorAll(`[data-choice=${name}]`)].map(radio => radio.value);
    if (options.includes(said.get(name))) choices[name] = said.get(name);
  }
  if (!at) return open(number);
  showScene(number);
  project(programOf(number), at - 1);
}
find('copy').addEventListener('click', async () => {
  const link = new URL(address(), location).href;
  history.replaceState(null, '', link);
  try {
    await navigator.clipboard.writeText(link);
    find('copied').textContent = 'Copied.';
  } catch {
    find('copied').textContent = 'It stands in the address bar.';
  }
  setTimeout(() => { find('copied').textContent = ''; }, 3000);
});

// ---- Python
let worker = null, ready = false, running = 0, waiting = false, number = 0, wanted = 0, resting = 0, telling = 0;
function say(words) { find('status').textContent = words; }
function start() {
  find('bar').hidden = false;
  find('bar').value = 0;
  find('stop').disabled = false;
  say(`Python is on its way: ${python.megabytes.toFixed(1)} MB, once.`);
  try {
    worker = new Worker(python.worker, {type: 'module'});
  } catch {
    return died('Python needs a web server: this page was opened as a file.');
  }
  worker.onerror = event => died(event.message || 'Python could not be started here.');
  worker.onmessage = ({data}) => ({bar, ready: woke, run: answered, rest: rested, dead: ({says}) => died(says)})[data.kind](data);
  worker.postMessage({kind: 'start', config: python, page: location.href});
}
function bar({part}) {
  find('bar').value = part;
  if (part >= 1) say('Python starts …');
}
function woke() {
  ready = true;
  find('bar').hidden = true;
  say('');
  if (waiting) ask();
}
function died(says) {
  stop();
  say(says);
}
function stop() {
  worker?.terminate();
  worker = null;
  ready = waiting = false;
  running = 0;
  find('bar').hidden = true;
  find('stop').disabled = true;
}
function run() { // the program as it stands: at once, or as soon as Python is there and free
  clearTimeout(resting);
  waiting = true;
  if (!ready && code.value !== film.code) root.parentNode.classList.add('stale');
  if (!worker) start();
  else if (ready && !running) ask();
}
function ask() {
  waiting = false;
  running = ++number;
  find('stop').disabled = false;
  clearTimeout(telling);
  telling = setTimeout(() => say('Running …'), SOON);
  const only = root.querySelector('.narrow') ? 1 : 0;
  worker.postMessage({kind: 'run', id: running, code: code.value, only});
}
function answered(answer) {
  running = 0;
  clearTimeout(telling);
  find('stop').disabled = true;
  say(answer.note);
  if (waiting) return ask(); // it was edited meanwhile: only the newest counts
  tell(answer);
  if (answer.layouts) {
    film = {code: code.value, layouts: answer.layouts};
    const at = answer.error ? answer.open : wanted ? wanted - 1 : step;
    wanted = 0;
    picture(answer.layouts, true);
    picture.go(at, true);
    root.parentNode.classList.remove('stale');
    resting = setTimeout(() => worker && !running && worker.postMessage({kind: 'rest', id: number}), REST);
  } else root.parentNode.classList.add('stale');
  root.dataset.error = answer.error?.kind ?? '';
  root.dataset.run = answer.id;
}
function rested({id, layouts}) {
  if (id !== number || running || !layouts) return;
  film = {...film, layouts};
  picture(layouts, false);
  root.dataset.rest = id;
}
let errors = 0;
function tell({error, printed}) {
  clearTimeout(errors);
  find('printed').hidden = !printed;
  find('printed').textContent = printed;
  if (!error) return showError(null);
  if (find('error').hidden) errors = setTimeout(() => showError(error), SOON); // half a word is no error yet
  else showError(error);
}
function showError(error) {
  const box = find('error');
  box.hidden = !error;
  box.textContent = '';
  for (const mark of gutter.querySelectorAll('.bad')) mark.classList.remove('bad');
  if (!error) return;
  if (error.line) {
    box.append(Object.assign(document.createElement('b'), {textContent: `Line ${error.line}. `}));
    gutter.children[error.line - 1]?.classList.add('bad');
  }
  box.append(Object.assign(document.createElement('span'), {className: 'kind', textContent: error.kind}), ` ${error.says}`);
}

// ---- the editor
function edit(text) {
  showScene('type');
  if (text !== code.value) {
    code.value = text;
    showError(null);
    number_lines();
  }
  share();
}
function number_lines() {
  const lines = code.value.split('\n').length;
  if (gutter.children.length === lines) return;
  code.style.height = `${20 * lines + 18}px`; // up to a limit, in the style sheet
  gutter.replaceChildren(...Array.from({length: lines}, (_, k) =>
    Object.assign(document.createElement('span'), {textContent: `${k + 1}\n`})));
}
code.addEventListener('input', () => {
  number_lines();
  share();
  run();
});
code.addEventListener('scroll', () => { gutter.scrollTop = code.scrollTop; });
code.addEventListener('keydown', event => {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) return run();
  const {selectionStart, value} = code, line = value.slice(value.lastIndexOf('\n', selectionStart - 1) + 1, selectionStart);
  const indent = line.match(/^ */)[0] + (line.trimEnd().endsWith(':') ? '    ' : '');
  document.execCommand('insertText', false, `\n${indent}`); // so that it can be undone
});
find('run').addEventListener('click', run);
find('stop').addEventListener('click', () => {
  stop();
  say('Stopped. Run starts Python again.');
});
find('reset').addEventListener('click', () => {
  edit(films[`${choices.bprop} ${choices.loss}`].code);
  project(films[`${choices.bprop} ${choices.loss}`], 0);
  find('printed').hidden = true;
  say('');
});
if (location.protocol === 'file:') {
  find('run').disabled = true;
  code.readOnly = true;
  find('about-typing').textContent = 'Typing needs this page from a web server; it was opened as a file. The scenes work here too.';
}

showScene(0);
follow();
addEventListener('hashchange', follow);
