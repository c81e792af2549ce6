// A card is a piece of the notebook's own output: a still that anyone can read, and this script, which makes it live.
// What it is told goes out as a DOM event. The lesson's bridge hears it, if there is one, and the kernel draws the card
// again; without a kernel the card does by itself what it can, and a page keeps the answer.
const make = (tag, cls, text) => Object.assign(document.createElement(tag), {className: cls ?? '', textContent: text ?? ''});
const place = ({lesson, name}) => `minicell ${lesson} ${name}`;

// Say something to whoever hears the page.
function say(text) {
  let ear = document.querySelector('body > .minicell-ear');
  if (!ear) {
    ear = make('div', 'minicell-ear');
    ear.setAttribute('role', 'status');
    ear.style.cssText = 'position:fixed;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap';
    document.body.append(ear);
  }
  ear.textContent = text;
}

// A card that somebody has edited stays a still, and says so.
function mount(card) {
  const still = card.innerHTML;
  keepKeys(card);
  try { enliven(card, JSON.parse(card.dataset.card)); } catch {
    card.classList.remove('live');
    card.innerHTML = still;
    card.append(make('p', 'note', 'This card has been edited, so it can only be read. Run its cell again, and it can be used.'));
  }
}

function enliven(card, facts) {
  const all = selector => [...card.querySelectorAll(selector)];
  const one = selector => card.querySelector(selector), notebook = card.closest('.jp-OutputArea'), still = card.innerHTML;
  card.classList.add('live');
  card.removeAttribute('style');
  card.tabIndex = -1;
  const note = text => {
    const line = one('.note.kept') ?? card.appendChild(make('p', 'note kept'));
    line.textContent = text;
    if (text) say(text);
  };

  // Tell the kernel; or keep it in the page, if that is all there is.
  const tell = what => {
    const event = new CustomEvent('minicell', {detail: {of: card.dataset.of, lesson: facts.lesson, name: facts.name, kind: facts.kind, ...what}});
    document.dispatchEvent(event);
    if (event.detail.heard === true) { // by a kernel; a page may hear it too
      setTimeout(() => card.append(Object.assign(make('progress'), {ariaLabel: 'The kernel works'})), 500);
      setTimeout(() => card.isConnected && note('The kernel is busy, or was restarted. If this line stays, run the lesson’s first cell and answer again.'), 4000);
    } else if (notebook) {
      note('This is not kept: no kernel hears this card. Run the lesson’s first cell, read what it says, and run this one.');
    } else {
      try { localStorage.setItem(place(facts), JSON.stringify({...kept(), ...what})); } catch { note('This browser keeps nothing for this page: what you answer is gone when you close it.'); }
    }
    return event.detail.heard;
  };
  const kept = () => {
    try { return (!notebook && JSON.parse(localStorage.getItem(place(facts)))) || {}; } catch { return {}; }
  };
  const act = one('.act') ?? make('div', 'act');
  const button = (words, press, cls = '') => {
    const made = make('button', cls, words);
    made.type = 'button';
    made.onclick = press;
    act.prepend(made);
    return made;
  };
  const show = (part, yes = true) => { part.hidden = !yes; if (yes) { part.open = true; part.classList.add('opens'); } };
  const state = words => { one('.state').textContent = words; };

  const kinds = {
    question() {
      const {right, chosen} = facts, done = facts.open || chosen != null, list = one('.choices'), items = [...list.children];
      items.forEach((item, k) => {
        const row = make(done ? 'div' : 'label', 'row'), text = item.querySelector('.text');
        row.dataset.key = 'ABCDE'[k];
        text.replaceWith(row);
        if (!done) row.append(Object.assign(make('input'), {type: 'radio', name: `${place(facts)} ${seen}`}));
        row.append(text);
        if (!done) return item.setAttribute('role', 'none');
        item.querySelector('.reply').open = true;
        item.classList.toggle('right', k === right);
        if (k === chosen) item.classList.add('was', k === right ? 'right' : 'wrong');
        const mark = item.querySelector('.mark') ?? row.appendChild(make('span', 'mark'));
        mark.textContent = (k === chosen ? ' (your answer)' : '') + (k === right ? ' (right)' : k === chosen ? ' (not so)' : '');
      });
      for (const after of all('.after')) show(after, done);
      if (done) {
        card.classList.add('done');
        state(chosen == null ? 'unlocked' : 'answered');
        const others = chosen == null ? [] : items.filter((_, k) => k !== chosen && k !== right);
        if (chosen != null) list.prepend(items[chosen]); // what is right stands under it, and the rest folds
        if (!others.length) return;
        const more = make('details', 'others'), rest = make('ol', 'choices');
        more.append(make('summary', '', others.length > 1 ? 'The other answers, and why not' : 'The other answer, and why not'), rest);
        rest.append(...others);
        return list.after(more);
      }
      list.setAttribute('role', 'radiogroup');
      list.setAttribute('aria-label', `Your answer to: ${one('header b').textContent}`);
      const radios = all('input'), answered = k => {
        card.innerHTML = still;
        enliven(card, {...facts, chosen: k});
      };
      const commit = () => {
        const k = radios.findIndex(radio => radio.checked);
        if (k < 0) return note('Choose an answer first. A wrong guess teaches more than none.');
        const [text, reply] = ['.text', '.reply'].map(part => items[k].querySelector(part).textContent);
        answered(k);
        card.focus({preventScroll: true});
        say(`${k === right ? 'Right.' : 'Not so.'} ${reply}`);
        tell({chosen: k, right: k === right, text});
      };
      list.onchange = () => note('');
      button('Commit', commit, 'first');
      act.append(make('span', 'note', 'You can change your mind until you commit.'));
      card.append(act);
      keys.digit = k => { radios[k]?.focus(); radios[k]?.click(); };
      keys.enter = commit;
      const before = kept().text, k = items.findIndex(item => item.querySelector('.text').textContent === before);
      if (k >= 0) answered(k);
      else if (before) note('You have answered this before, but none of these answers is kept. Answer again.');
    },

    lock() {
      const open = text => {
        one('.wait')?.remove();
        if (text) one('.said').textContent = text;
        for (const part of all('.opened')) show(part);
      };
      for (const part of all('.opened')) part.hidden = true;
      if (facts.open) return open();
      const hear = ({detail}) => {
        if (!card.isConnected) document.removeEventListener('minicell', hear);
        else if (detail.kind === 'question' && detail.lesson === facts.lesson && detail.name === facts.name) open(`You said: ${detail.text}`);
      };
      document.addEventListener('minicell', hear);
      if (kept().text) open(`You said: ${kept().text}`);
    },

    exercise() {
      const hints = all('.hint');
      let shown = Math.max(facts.hints ?? 0, kept().hints ?? 0);
      hints.forEach((hint, k) => { hint.open = k < shown; });
      card.addEventListener('toggle', ({target}) => {
        const hint = hints.indexOf(target) + 1, code = target.querySelector(':scope > .code > pre');
        if (!target.open) return;
        if (hint > shown) tell({hints: shown = hint});
        if (code) keys.put?.(code.textContent);
      }, true);
      if (facts.tape) button('Show it on the tape', () => { if (!tell({tape: true})) note('The tape needs the kernel: run the lesson’s first cell, then this one.'); });
      if (facts.editor != null) editor();
      copies();
      // Shift-Enter goes on to the next cell, and what was found is above the screen: it comes back, if no more is run.
      const runs = [...document.querySelectorAll('.jp-InputPrompt')].filter(each => each.textContent.includes('*'));
      if (one('.finding') && runs.length === 1 && card.closest('.jp-Cell').contains(runs[0])) setTimeout(() => card.scrollIntoView({block: 'nearest'}), 200);
    },

    sentence() {
      const box = make('textarea'), model = one('.model'), said = facts.said ?? kept().said;
      Object.assign(box, {rows: 3, placeholder: 'In your own words', ariaLabel: one('.ask').textContent, value: said ?? ''});
      one('.own').replaceWith(box);
      const keep = () => {
        if (model.open) state('done');
        if (model.open && box.value !== said) tell({said: box.value});
      };
      model.open = said != null;
      model.ontoggle = box.onchange = keep;
    },
  };

  // The card's own editor, where there is no cell to write in: Tab indents, Escape leaves.
  function editor() {
    const box = make('textarea', 'codes'), ariaLabel = `Code of exercise ${facts.name}. Tab indents, Escape leaves.`;
    Object.assign(box, {value: kept().code ?? facts.editor, rows: facts.editor.split('\n').length + 2, spellcheck: false, ariaLabel});
    box.addEventListener('keydown', event => {
      if (event.key === 'Escape') { event.stopPropagation(); check.focus(); }
      if (event.key !== 'Tab' || event.shiftKey) return;
      event.preventDefault();
      document.execCommand('insertText', false, '    '); // the browser can undo it
    });
    act.before(box);
    const check = button('Check', () => { if (!tell({code: box.value})) note('The check needs the kernel.'); }, 'first');
    keys.put = code => { box.value = code; };
  }

  function copies() {
    for (const block of all('.code')) {
      const copy = make('button', 'copy', 'Copy');
      copy.onclick = async () => {
        const code = block.querySelector('pre');
        let done = true;
        try { await navigator.clipboard.writeText(code.textContent); } catch { // as on a hub without https
          getSelection().selectAllChildren(code);
          done = document.execCommand('copy');
        }
        copy.textContent = done ? 'Copied' : 'Press Ctrl+C';
        say(copy.textContent);
      };
      block.append(copy);
    }
  }

  // Digits choose, Enter commits, Escape leads back to the cell.
  const keys = {};
  card.onkeydown = event => {
    if (event.key === 'Escape') return (card.closest('.minicell-stage') ?? card.closest('.jp-Cell') ?? card).focus();
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('textarea')) return;
    const k = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : 'abcde'.indexOf(event.key.toLowerCase());
    if (k >= 0 && event.key.length === 1) keys.digit?.(k);
    else if (event.key === 'Enter' && !event.shiftKey && keys.enter && !event.target.matches('button, summary')) { event.preventDefault(); keys.enter(); }
  };

  const seen = mount.cards = (mount.cards ?? 0) + 1; // of the same question, two may be on a page
  kinds[facts.kind]?.();
  // It is drawn again where somebody was: they stay there, at the same button.
  const was = document.documentElement.dataset, parts = () => all('button, input, textarea, summary');
  if (was.minicellAt === place(facts) && document.activeElement === document.body) {
    card.focus({preventScroll: true});
    parts()[was.minicellPart]?.focus({preventScroll: true});
  }
  card.addEventListener('focusin', ({target}) => { was.minicellAt = place(facts); was.minicellPart = parts().indexOf(target); });
  card.addEventListener('focusout', event => { if (event.relatedTarget) delete was.minicellAt; });
}
