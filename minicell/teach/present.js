// The presentation fills the screen, above everything that clips it. What is seen at once is a screen: a beat is cut
// into as many as it needs, so that nothing scrolls. The Page keys, as a clicker sends them, are steps: of a picture,
// to the next screen, to the next beat. Escape leads back to the notebook. What stands on the screen comes from the
// kernel, and is drawn as the notebook draws it.
function present(panel) {
  const PATIENCE = 30000; // milliseconds
  const SIDE = 12; // pixels beside what is seen
  const LARGE = 1.6, LEAST = 1.43; // 14 pixels become 22, or 20 where they must
  const PICTURE = 1.54; // 13 pixels of a picture, its least, become 20
  const {of, lesson} = panel.dataset, one = selector => panel.querySelector(selector);
  const make = (tag, cls) => Object.assign(document.createElement(tag), {className: cls});
  const stage = one('.minicell-stage'), last = one('.minicell-leave'), said = one('[role=status] > span');
  let waits = 0; // until when, for another beat: a second press while the kernel works is not a second beat
  let screens = [], at = 0, host = null; // of this beat; what holds the screen, which may be drawn again
  const votes = new Map(); // by the answer
  const ask = what => {
    const event = new CustomEvent('minicell', {detail: {of, lesson, ...what}});
    document.dispatchEvent(event);
    waits = event.detail.heard ? Date.now() + PATIENCE : 0;
    if (!waits) said.textContent = 'No kernel hears this: run the lesson’s first cell, then this one.';
  };
  const begin = tries => { // the bridge may come later
    ask({on: 0});
    if (tries && !waits) setTimeout(begin, 200, tries - 1);
  };
  const modal = {role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Presentation'};
  const fill = on => { // while it fills the screen, Tab goes round in it: what lies behind is not seen
    panel.popover = on ? 'manual' : null;
    if (on) panel.showPopover();
    for (const key of Object.keys(modal)) if (on) panel.setAttribute(key, modal[key]); else panel.removeAttribute(key);
    document[on ? 'addEventListener' : 'removeEventListener']('keydown', keys, true);
  };

  // ---- screens
  const WRITES = 'textarea, input:not([type=radio])';
  const ALONE = '.view, .pad, .mc-card', ONE = 'p, li, tr, textarea, label, svg, img, .act, .view, .pad';
  const FITS = '.mc-card, .choices, .checks, .finding, pre, ul, ol, table'; // one, if it is not too high
  const seen = part => part.checkVisibility() && !part.matches('style, script');
  function parts(part, high) { // what may stand on a screen by itself
    const inside = [...part.children].filter(seen), tall = part.getBoundingClientRect().height > high;
    if (part.matches(ONE) || (!tall && part.matches(FITS))) return [part];
    if (part.matches('pre')) return lines(part);
    return inside.length ? inside.flatMap(each => parts(each, high)) : [part];
  }
  function lines(pre) { // of a listing that is too high
    const code = pre.querySelector('code') ?? pre, made = [...code.querySelectorAll(':scope > .line')];
    if (made.length) return made;
    const broken = node => (node.nodeType === 3 ? node.data.split(/(?<=\n)/) : [node]);
    for (const node of [...code.childNodes].flatMap(broken)) {
      if (!made.length || made.at(-1).textContent.endsWith('\n')) made.push(make('div', 'line'));
      made.at(-1).append(node);
    }
    code.replaceChildren(...made);
    return made;
  }
  function cut() { // again, and stay at what is on the screen
    const before = screens[at]?.[0];
    for (const part of stage.querySelectorAll('.away')) part.classList.remove('away');
    stage.style.zoom = LARGE;
    stage.querySelectorAll('.mc2').forEach(frame);
    const high = stage.getBoundingClientRect().height - 2 * SIDE;
    screens = [];
    let top = 0;
    for (const part of [...stage.children].flatMap(each => parts(each, high))) {
      const {bottom} = part.getBoundingClientRect(), last = screens.at(-1), previous = last?.at(-1);
      if (!previous || part.matches(ALONE) || part.closest(ALONE) !== previous.closest(ALONE) || bottom - top > high) {
        const heads = []; // a heading goes with what it is of
        while (last?.length > 1 && last.at(-1).matches('h1, h2, h3, h4')) heads.unshift(last.pop());
        screens.push([...heads, part]);
        top = (heads[0] ?? part).getBoundingClientRect().top;
      } else screens.at(-1).push(part);
    }
    const same = screens.findIndex(each => each.some(part => part === before || part.contains(before)));
    show(Math.max(0, same < 0 ? screens.findIndex(each => host?.contains(each[0])) : same));
    count();
  }
  function show(screen) {
    at = Math.min(screen, screens.length - 1);
    host = [...stage.children].find(each => each.contains(screens[at]?.[0]));
    for (const part of screens.flat()) {
      for (let each = part; each !== stage; each = each.parentElement) {
        each.classList.toggle('away', !screens[at].some(here => each.contains(here)));
      }
    }
    stage.style.zoom = LARGE;
    const over = stage.scrollHeight / stage.clientHeight;
    if (over > 1) stage.style.zoom = Math.max(LEAST, LARGE / over);
    one('.minicell-screen').textContent = screens.length > 1 ? ` · screen ${at + 1} of ${screens.length}` : '';
  }
  const turn = way => {
    if (Date.now() < waits) return;
    const picture = [...stage.querySelectorAll('.mc2')].find(seen);
    const step = picture?.querySelector(`.turns > button:${way > 0 ? 'last' : 'first'}-child`);
    if (step && seen(step) && !step.disabled) step.click();
    else if (screens[at + way]) show(at + way);
    else one(way > 0 ? '.minicell-next' : '.minicell-back').click();
  };

  // ---- a picture: where it is larger than the screen, a window on it follows what a step changes
  function frame(picture) {
    const svg = picture.querySelector('.box > svg'), {width, height} = stage.getBoundingClientRect();
    if (!svg || !seen(picture)) return;
    picture.style.zoom = PICTURE / LARGE;
    const {width: wide, height: tall} = svg.viewBox.baseVal;
    const sizes = {room: (width - 4 * SIDE) / PICTURE, high: (height - 2 * SIDE) / PICTURE, wide, tall};
    for (const name in sizes) picture.style.setProperty(`--${name}`, `${sizes[name]}px`);
    picture.watch ??= new MutationObserver(changes => follow(picture, changes));
    picture.watch.observe(svg, {childList: true, subtree: true, attributeFilter: ['x', 'y', 'width', 'd', 'class']});
  }
  function follow(picture, changes) {
    const svg = picture.querySelector('.box > svg'), from = svg.getBoundingClientRect();
    const around = svg.parentNode.getBoundingClientRect(), scale = from.width / svg.viewBox.baseVal.width;
    const boxesOf = nodes => nodes.filter(node => node.matches?.('svg > *') && node.isConnected)
      .map(node => node.getBoundingClientRect())
      .filter(({width, height}) => width < around.width && height < around.height);
    const fresh = boxesOf(changes.flatMap(({addedNodes}) => [...addedNodes])); // they say more than what has changed
    const boxes = fresh.length ? fresh : boxesOf(changes.map(({target}) => target));
    if (!boxes.length) return;
    const [left, top] = ['left', 'top'].map(side => Math.min(...boxes.map(box => box[side])));
    const [right, bottom] = ['right', 'bottom'].map(side => Math.max(...boxes.map(box => box[side])));
    // what came out stands at the foot, and begins at the left: where not all fits, that is what is seen
    const x = right - left > around.width ? left - SIDE : (left + right - around.width) / 2;
    const y = bottom - top > around.height ? bottom + SIDE - around.height : (top + bottom - around.height) / 2;
    const shift = (to, most) => -Math.max(0, Math.min(to, most)) / scale;
    const dx = shift(x - from.left, from.width - around.width), dy = shift(y - from.top, from.height - around.height);
    svg.style.transform = `translate(${dx}px, ${dy}px)`;
  }

  // ---- votes: a letter counts a hand, with Shift it takes one back; the answer with the most hands is chosen
  const rows = () => [...stage.querySelectorAll('.mc-card.question .row')].filter(seen);
  const called = row => `${row.closest('.mc-card').dataset.of} ${row.dataset.key}`; // also once it is marked
  function vote(row, more) {
    votes.set(called(row), Math.max(0, (votes.get(called(row)) ?? 0) + more));
    const of = each => votes.get(called(each)) ?? 0;
    const most = rows().sort((a, b) => of(b) - of(a))[0].querySelector('input');
    most.checked = true;
    most.focus();
    count();
  }
  function count() {
    for (const row of rows()) {
      const text = ` ${votes.get(called(row)) || ''}`;
      const shown = row.querySelector('.votes') ?? row.appendChild(make('b', 'votes'));
      if (shown.textContent !== text) shown.textContent = text;
    }
  }
  const keys = event => {
    if (!panel.isConnected) return document.removeEventListener('keydown', keys, true);
    const [from, to] = event.shiftKey ? [stage, last] : [last, stage];
    const other = ['ctrlKey', 'metaKey', 'altKey'].some(held => event[held]) || event.target.matches(WRITES);
    const round = event.key === 'Tab' && document.activeElement === from && (() => to.focus());
    // a small window of the picture of a tape is closed first, and the editor of a card is left
    if (event.key === 'Escape' && document.activeElement.closest('.mc2 :is(.account, .more[open]), .mc-card textarea')) return;
    const key = event.key.toUpperCase(), asked = row => row.dataset.key === key && row.querySelector('input');
    const row = !other && rows().find(asked);
    const act = {PageDown: () => turn(1), PageUp: () => turn(-1), Escape: () => fill(false)}[event.key]
      || round || (row && (() => vote(row, event.shiftKey ? -1 : 1)));
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  };
  let due = 0; // what has changed, or an image that has come, is cut before it is painted: nobody sees it overflow
  const again = () => {
    cancelAnimationFrame(due);
    due = requestAnimationFrame(cut);
  };
  const draw = async ({beat, code, first, final, ...told}, render) => {
    said.textContent = told.said;
    waits = 0;
    if (!beat) return;
    one('.minicell-code-here').textContent = code;
    one('.minicell-back').disabled = first;
    one('.minicell-next').disabled = final;
    if (!stage.querySelector('[data-of]') && panel.showPopover) fill(true);
    stage.replaceChildren(...beat.map(() => document.createElement('div')));
    screens = [];
    stage.focus();
    for (const [k, {id, data}] of beat.entries()) {
      stage.children[k].dataset.of = id;
      await render(data, stage.children[k]);
    }
    again();
  };
  const hear = ({detail}) => {
    if (!panel.isConnected) return document.removeEventListener('minicell-told', hear);
    if (detail.of === of) return draw(JSON.parse(detail.screen), detail.render);
    const drawn = detail.data ? [...stage.children].filter(each => each.dataset.of === detail.of) : [];
    for (const each of drawn) detail.render(detail.data, each);
  };
  keepKeys(panel);
  document.addEventListener('minicell-told', hear);
  new ResizeObserver(again).observe(panel);
  stage.addEventListener('load', again, true);
  new MutationObserver(changes => {
    if (changes.some(({target}) => target.matches('.box') || !target.closest('.mc2 .view, .votes'))) again();
  }).observe(stage, {childList: true, subtree: true});
  for (const button of panel.querySelectorAll('[data-ask]')) button.onclick = () => ask(JSON.parse(button.dataset.ask));
  one('input').onkeydown = ({key, target}) => { if (key === 'Enter') { ask({code: target.value}); target.value = ''; } };
  last.onclick = () => fill(false);
  begin(50);
}
