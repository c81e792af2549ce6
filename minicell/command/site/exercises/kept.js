// What was answered, as this browser keeps it: an entry for each card, under the key that the card uses. A file has a
// line for each, as the notebook keeps them in progress.json, so that either can be read in the place of the other.
const LONGEST = {said: 4000, code: 100000}; // characters
const LARGEST = 5e6; // bytes of a file: a browser keeps no more for a page
const store = (() => { try { return localStorage; } catch { return null; } })();
const place = (lesson, name) => `minicell ${lesson} ${name}`;
function entry(lesson, name) {
  try { return JSON.parse(store.getItem(place(lesson, name))) ?? {}; } catch { return {}; }
}
function keep(lesson, name, what) {
  const all = JSON.stringify({...entry(lesson, name), ...what});
  try { store.setItem(place(lesson, name), all); } catch { /* the card has said so */ }
}
const kinds = Object.entries(told.asks).flatMap(([lesson, asked]) =>
  Object.entries(asked).flatMap(([kind, names]) => names.map(name => ({lesson, kind, name}))));

function lines() {
  return kinds.flatMap(({lesson, kind, name}) => {
    const {text, right, said, state, hints, code} = entry(lesson, name);
    const line = kind === 'question' ? text && {card: name, state: right ? 'passed' : 'failed', said: text}
      : kind === 'sentence' ? said != null && {card: `sentence ${name}`, said}
        : (state || hints || code) && {card: name, state, hints, code};
    return line ? [JSON.stringify({lesson, ...line})] : [];
  });
}
function save() {
  const text = [JSON.stringify({minicell: told.version}), ...lines(), ''].join('\n');
  const link = Object.assign(document.createElement('a'), {download: 'minicell-progress.json'});
  link.href = URL.createObjectURL(new Blob([text], {type: 'application/json'}));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const NOTHING = file => `${file} holds no answers to minicell’s lessons, so nothing was changed.`;
// Believe a file, as far as its words are known; return what is to be said of it.
function load(text, file) {
  const lost = [];
  let taken = 0, strange = 0, version = '';
  text.split('\n').forEach((line, k) => {
    let said = null;
    try { said = line.trim() ? JSON.parse(line) : {}; } catch { /* it is lost */ }
    if (said === null || typeof said !== 'object' || Array.isArray(said)) return lost.push(k + 1);
    if (typeof said.minicell === 'string') version = said.minicell;
    if (typeof said.card !== 'string') return;
    if (take(said)) taken += 1; else strange += 1;
  });
  if (!taken && !version && !strange) return NOTHING(file);
  const said = [`${taken} answer${taken === 1 ? '' : 's'} came from ${file}.`];
  const more = lost.length > 1 ? ` and ${lost.length - 1} more` : '';
  if (lost.length) said.push(`Line ${lost[0]}${more} of it cannot be read.`);
  const versions = `the file is of version ${version || 'unknown'}, and this is ${told.version}`;
  if (strange) said.push(`${strange} more ${strange > 1 ? 'are' : 'is'} to what these lessons do not ask: ${versions}.`);
  return said.join(' ');
}
function take({lesson, card, state, said, hints, code}) {
  const name = card.replace(/^sentence /, ''), sort = name === card ? ['question', 'exercise'] : ['sentence'];
  const known = kinds.find(each => each.lesson === lesson && each.name === name && sort.includes(each.kind));
  if (!known) return false;
  const what = {}, put = (key, value, yes) => { if (yes) what[key] = value; };
  const word = (key, value) => typeof value === 'string' && value.length <= LONGEST[key];
  if (known.kind === 'exercise') {
    put('state', state, ['passed', 'failed'].includes(state) && entry(lesson, name).state !== 'passed');
    put('hints', hints, Number.isInteger(hints) && hints > 0);
    put('code', code, word('code', code));
  } else {
    put(known.kind === 'question' ? 'text' : 'said', said, word('said', said));
    put('right', state === 'passed', known.kind === 'question');
  }
  keep(lesson, name, what);
  return true;
}
function forget(lesson) { // or all of them
  for (const each of kinds) if (!lesson || each.lesson === lesson) store.removeItem(place(each.lesson, each.name));
}

// ---- what is done, wherever a page says so
const SAID = 'minicell said'; // what is to be said once the page has been drawn again
function stands() {
  for (const row of document.querySelectorAll('[data-stands]')) {
    const own = kinds.filter(({lesson, kind}) => lesson === row.dataset.stands && kind !== 'sentence');
    const ends = {question: ({text}) => text, exercise: ({state}) => state === 'passed'};
    const done = own.filter(({lesson, kind, name}) => ends[kind](entry(lesson, name)));
    const begun = own.some(({lesson, name}) => Object.keys(entry(lesson, name)).length);
    if (begun || row.textContent) row.textContent = told.states[!begun ? 0 : done.length < own.length ? 1 : 2];
  }
  for (const card of document.querySelectorAll('.mc-card.progress')) {
    const {lesson} = JSON.parse(card.dataset.card), rows = [...card.querySelectorAll('li')];
    const asked = kinds.filter(each => each.lesson === lesson && each.kind !== 'sentence');
    asked.forEach(({kind, name}, k) => {
      const {text, right, state = ''} = entry(lesson, name), said = text ? (right ? 'passed' : 'failed') : '';
      rows[k].textContent = kind === 'exercise'
        ? told.tried[state].replace('{}', `exercise ${name}`) : told.said[said].replace('{}', name);
    });
    const done = rows.filter(row => row.textContent.startsWith('✓')).length;
    card.querySelector('header b').textContent = `Lesson ${lesson}: ${done} of ${rows.length} done`;
  }
}
for (const panel of document.querySelectorAll('.answers')) {
  const status = panel.querySelector('[role=status]');
  const lesson = document.querySelector('.mc-card[data-of]')?.dataset.of.slice(0, 2);
  const say = text => { status.textContent = text; };
  const again = text => { // drawn again, with what is kept now
    sessionStorage.setItem(SAID, text);
    location.reload();
  };
  if (!store) say('This browser keeps nothing for this page: what you answer is gone when you close it.');
  else say(sessionStorage.getItem(SAID) ?? '');
  if (store) sessionStorage.removeItem(SAID);
  panel.querySelector('[data-do=save]').onclick = save;
  panel.querySelector('[data-do=forget]').onclick = () => {
    if (!store || !confirm(`Forget your answers of ${lesson ? `lesson ${lesson}` : 'all lessons'}?`)) return;
    forget(lesson);
    again('Forgotten.');
  };
  panel.querySelector('input').onchange = async ({target}) => {
    const [file] = target.files;
    target.value = '';
    if (!file || !store) return;
    const said = load(file.size < LARGEST ? await file.text().catch(() => '') : '', file.name);
    if (said === NOTHING(file.name)) say(said); else again(said);
  };
}
