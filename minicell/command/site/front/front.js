// The first page. `told` holds the films of the scenes, the scenes, and where Python comes from; play() draws a picture.
const find = id => document.getElementById(id);
const {films, scenes, opens, first, python} = told;
const root = find('picture'), code = find('code'), gutter = find('gutter');
const choices = {...first};
const SOON = 400, REST = 500; // ms: until an error is told, until the accounts are asked for
let touched = false; // by the reader
for (const kind of ['pointerdown', 'keydown', 'input']) addEventListener(kind, () => { touched = true; }, {capture: true});
let scene = opens, film = films[scenes[opens].program], step = 0, led = false; // led: the page goes to a step, not its reader
const narrow = () => root.querySelector('.narrow');

// ---- the picture
const picture = play(root, {layouts: film.layouts, open: 0}, '');
root.addEventListener('tapestep', ({detail}) => {
  step = detail;
  if (touched && !led) root.classList.remove('fresh'); // the reader knows how to step
  document.querySelector('.scenes').classList.toggle('ended', step === steps().length - 1);
  if (scene !== 'type') showScene(sceneAt(step));
  share();
  if (touched) reveal();
});
find('go').addEventListener('click', () => picture.go(step + 1));
addEventListener('keydown', event => { // where nothing has the focus, the arrows are the picture's
  const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (!by || event.target !== document.body || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  picture.go(step + by);
  event.preventDefault();
});
function reveal(opened = false) { // where the words stand under the picture, it may be out of view
  const foot = root.querySelector('.turns').offsetHeight, last = step === steps().length - 1;
  const end = document.querySelector('.scene.shown [data-when]:not([hidden])') ?? root.querySelector('.box');
  if (narrow() && last) scrollBy(0, end.getBoundingClientRect().bottom + foot - innerHeight); // what came out, and what it says
  else if (opened && root.getBoundingClientRect().top < 0) find('main').scrollIntoView();
}
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
function nameOf(k) { // of the program that a scene shows, as its reader chose
  const {program, choices: asked} = scenes[k];
  return asked.length ? asked.map(name => choices[name]).join(' ') : program;
}
const programOf = k => films[nameOf(k)];
function project(next, at, from = at) { // another film, or the same, at a step; `from`: the step before, to move from
  root.parentNode.classList.remove('stale');
  const before = scene;
  led = true;
  if (film !== next) {
    film = next;
    scene = 'type'; // what is passed on the way is no scene of the reader's
    picture(next.layouts, true);
  }
  scene = before;
  picture.go(from, true);
  picture.go(at);
  led = false;
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
  document.querySelector('.scenes').classList.toggle('types', number === 'type');
  if (number === 'type') return;
  for (const words of sections[number].querySelectorAll('[data-when]')) words.hidden = words.dataset.when !== nameOf(number);
}
function open(number) {
  if (number === 'type') return edit(typed() ? code.value : film.code);
  showScene(number);
  const next = programOf(number), was = film;
  film = next;
  const at = place(scenes[number].opens);
  film = was;
  project(next, at, Math.max(0, at - 1));
  if (touched) reveal(true);
}
for (const link of links) {
  link.addEventListener('click', event => {
    event.preventDefault();
    Object.assign(choices, first); // what its words are about; a variant lasts as long as its scene
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

// ---- a link to what is shown
const pack = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
  .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const unpack = text => new TextDecoder().decode(Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')),
  letter => letter.charCodeAt(0)));
let sharing = 0;
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
    for (const name of scenes[scene].choices) said.set(name, choices[name]);
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
    foreign = !known;
    waiting = false; // what was to run is no longer what stands there
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
