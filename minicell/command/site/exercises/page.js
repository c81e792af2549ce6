// A lesson's page is to its cards what a notebook is: Python, in a worker, hears what is written in an exercise, and
// draws its card again. Everything else a card does by itself.
const SOON = 600; // ms until it is said that a check runs
const COMES = `Python is on its way: ${told.python.megabytes.toFixed(1)} MB, once.`;
const waiting = []; // what is to be heard, in its order; the first is being heard
let worker = null, tried = false, ready = false, slow = 0;
const cardOf = of => document.querySelector(`.mc-card.live[data-of="${of}"]`);
const make = (tag, cls, text = '') => Object.assign(document.createElement(tag), {className: cls, textContent: text});

// One line in the card that waits: what happens, how far it is, and a way to stop it.
function line(words, part = null) {
  const card = waiting[0] && cardOf(waiting[0].of);
  if (!card) return;
  let at = card.querySelector('.python');
  if (!at) {
    at = make('div', 'act python');
    at.append(make('span', 'note'), make('progress', ''), make('button', '', 'Stop'));
    at.firstChild.setAttribute('role', 'status');
    at.children[1].ariaLabel = 'Python is on its way';
    at.lastChild.type = 'button';
    at.lastChild.onclick = () => end('Stopped. Check starts Python again.');
    card.querySelector('.act').after(at);
  }
  at.firstChild.textContent = words;
  at.children[1].hidden = part === null;
  at.lastChild.hidden = !worker;
  if (part !== null) at.children[1].value = part;
}
function start() {
  tried = true;
  ready = false;
  worker = new Worker(told.python.worker, {type: 'module'});
  worker.onerror = event => end(event.message || 'Python could not be fetched: is there a network?');
  worker.onmessage = ({data}) => ({
    bar: ({part}) => line(part < 1 ? COMES : 'Python starts …', part),
    ready: () => { ready = true; hear(); },
    hear: heard,
    dead: ({says}) => end(says),
  })[data.kind](data);
  worker.postMessage({kind: 'start', config: told.python, page: location.href});
}
function hear() { // the next of what waits
  const [said] = waiting;
  if (!said || !ready) return;
  slow = setTimeout(() => line('Checking …'), SOON);
  worker.postMessage({kind: 'hear', id: 0, with: [said.lesson, JSON.stringify(said)]});
}
function end(says) { // Python is gone; what waits is not checked, and what was written stays
  worker?.terminate();
  worker = null;
  clearTimeout(slow);
  line(says);
  waiting.length = 0;
}
function heard({card, states, printed}) {
  clearTimeout(slow);
  const {of, lesson, name} = waiting.shift(), old = cardOf(of);
  const drawn = new DOMParser().parseFromString(card, 'text/html').querySelector('.mc-card');
  const own = [make('p', 'note', 'Printed:'), make('pre', '', printed.slice(0, LONGEST.said))];
  if (printed) drawn.querySelector('.checks').after(...own);
  old.replaceWith(drawn);
  for (const still of drawn.querySelectorAll('script')) still.replaceWith(make('script', '', still.textContent));
  window.minicellCard(drawn);
  drawn.querySelector('.codes').value = old.querySelector('.codes').value; // it may have been edited meanwhile
  ear.textContent = drawn.querySelector('.finding')?.textContent ?? drawn.querySelector('.state').textContent;
  if (states[name] && entry(lesson, name).state !== 'passed') keep(lesson, name, {state: states[name]});
  stands();
  hear();
}
const ear = document.body.appendChild(make('div', 'hears'));
ear.setAttribute('role', 'status');

document.addEventListener('minicell', ({detail}) => {
  setTimeout(stands); // the card keeps it when this is over
  if (detail.kind !== 'exercise' || !('code' in detail || 'tape' in detail)) return;
  detail.heard = 'by the page';
  const said = {...detail, editor: cardOf(detail.of).querySelector('.codes').value};
  const at = waiting.findIndex(({of}, k) => of === detail.of && (k || !ready)); // it is not being heard yet
  waiting[at < 0 ? waiting.length : at] = said; // only the newest counts
  if (waiting.length > 1) return;
  if (location.protocol === 'file:') end('This page was opened as a file: the check needs it from a web server.');
  else if (ready && worker) hear();
  else if (!worker) start();
});
// What is typed stays, and Python comes meanwhile.
document.addEventListener('input', ({target}) => {
  if (!target.matches('.mc-card .codes')) return;
  const {lesson, name} = JSON.parse(target.closest('.mc-card').dataset.card);
  keep(lesson, name, {code: target.value});
  if (!tried && location.protocol !== 'file:') start();
});
for (const card of document.querySelectorAll('.mc-card.exercise.live')) {
  const {lesson, name} = JSON.parse(card.dataset.card), state = card.querySelector('.state');
  if (entry(lesson, name).state === 'passed') state.textContent = 'passed before';
}
const needs = document.getElementById('checks');
if (location.protocol === 'file:' && needs) {
  needs.textContent = 'This page was opened as a file: to check what you write, it has to come from a web server. ';
}
for (const again of ['pageshow', 'storage']) addEventListener(again, stands); // by Back, and from another tab
stands();
