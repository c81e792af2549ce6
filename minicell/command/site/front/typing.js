// The first page, continued: what the reader types, and Python in a worker.
// ---- Python
let foreign = false; // the program came with a link, and its reader has not pressed Run: nothing runs it before that
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
  foreign = false;
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
  const only = narrow() ? 1 : 0;
  worker.postMessage({kind: 'run', id: running, with: [code.value, only]});
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
    led = true;
    picture(answer.layouts, true);
    picture.go(at, true);
    led = false;
    root.parentNode.classList.remove('stale');
    resting = setTimeout(() => worker && !running && worker.postMessage({kind: 'rest', id: number, with: []}), REST);
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
const typed = () => code.value && !Object.values(films).some(one => one.code === code.value); // something of the reader's own
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
  if (!foreign) run();
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
  foreign = false;
  edit(programOf(opens).code);
  project(programOf(opens), 0);
  find('printed').hidden = true;
  say('');
});
if (location.protocol === 'file:') {
  find('run').disabled = true;
  code.readOnly = true;
  find('about-typing').textContent = 'Typing needs this page from a web server; it was opened as a file. The scenes work here too.';
}

open(opens); // all is in place
follow();
addEventListener('hashchange', follow);
