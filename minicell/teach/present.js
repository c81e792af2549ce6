// The presentation fills the screen, above everything that clips it. What is seen at once is a screen: a beat is cut into
// as many as it needs, so that nothing scrolls. The Page keys, as a clicker sends them, are steps: of a picture, to the next
// screen, to the next beat. Escape leads back to the notebook. What stands on the screen comes from the kernel, and is
// drawn as the notebook draws it.
function present(panel) {
  const PATIENCE = 30000; // milliseconds
  const LARGE = 1.6, LEAST = 1.43, PICTURE = 1.67; // 14 pixels become 22, or 20 where they must; 12 of a picture become 20
  const {of, lesson} = panel.dataset, one = selector => panel.querySelector(selector);
  const stage = one('.minicell-stage'), last = one('.minicell-leave'), said = one('[role=status] > span');
  let waits = 0; // until when, for another beat: a second press while the kernel works is not a second beat
  let screens = [], at = 0; // of this beat
  const votes = new Map(); // by the answer
  const ask = what => {
    const event = new CustomEvent('minicell', {detail: {of, lesson, ...what}});
    document.dispatchEvent(event);
    waits = event.detail.heard ? Date.now() + PATIENCE : 0;
    if (!waits) said.textContent = 'No kernel hears this: run the lesson’s first cell, then this one.';
  };
  const begin = tries => { ask({on: 0}); if (tries && !waits) setTimeout(begin, 200, tries - 1); }; // the bridge may come later
  const modal = {role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Presentation'};
  const fill = on => { // while it fills the screen, Tab goes round in it: what lies behind is not seen
    panel.popover = on ? 'manual' : null;
    if (on) panel.showPopover();
    for (const key of Object.keys(modal)) if (on) panel.setAttribute(key, modal[key]); else panel.removeAttribute(key);
    document[on ? 'addEventListener' : 'removeEventListener']('keydown', keys, true);
  };

  // ---- screens
  const ALONE = '.mc2, .mc-card', ONE = 'p, li, tr, textarea, label, svg, img, .act, .mc2';
  const FITS = '.mc-card, .choices, .checks, .finding, pre, ul, ol, table'; // one, if it is not too high
  const seen = part => part.getClientRects().length > 0 && !part.matches('style, script');
  function parts(part, high) { // what may stand on a screen by itself
    const inside = [...part.children].filter(seen), tall = part.getBoundingClientRect().height > high;
    if (part.matches(ONE) || (!tall && part.matches(FITS))) return [part];
    if (part.matches('pre')) return lines(part);
    return inside.length ? inside.flatMap(each => parts(each, high)) : [part];
  }
  function lines(pre) { // of a listing that is too high
    const code = pre.querySelector('code') ?? pre, made = [...code.querySelectorAll(':scope > .line')];
    if (made.length) return made;
    for (const node of [...code.childNodes].flatMap(node => (node.nodeType === 3 ? node.data.split(/(?<=\n)/) : [node]))) {
      if (!made.length || made.at(-1).textContent.endsWith('\n')) made.push(Object.assign(document.createElement('div'), {className: 'line'}));
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
    const high = stage.getBoundingClientRect().height - 24;
    screens = [];
    let top = 0;
    for (const part of [...stage.children].flatMap(each => parts(each, high))) {
      const {top: begins, bottom} = part.getBoundingClientRect(), previous = screens.at(-1)?.at(-1);
      if (!previous || part.matches(ALONE) || part.closest(ALONE) !== previous.closest(ALONE) || bottom - top > high) {
        const heads = []; // a heading goes with what it is of
        while (screens.at(-1)?.length > 1 && screens.at(-1).at(-1).matches('h1, h2, h3, h4')) heads.unshift(screens.at(-1).pop());
        screens.push([...heads, part]);
        top = (heads[0] ?? part).getBoundingClientRect().top;
      } else screens.at(-1).push(part);
    }
    show(Math.max(0, screens.findIndex(each => each.some(part => part === before || part.contains(before)))));
    count();
  }
  function show(screen) {
    at = Math.min(screen, screens.length - 1);
    for (const part of screens.flat()) {
      for (let each = part; each !== stage; each = each.parentElement) each.classList.toggle('away', !screens[at].some(here => each.contains(here)));
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
    const view = picture.querySelector('.view'), box = picture.querySelector('.box'), svg = box?.firstChild;
    if (!svg || !seen(picture)) return;
    const [wide, high] = ['width', 'height'].map(way => svg.viewBox.baseVal[way]), {width, height} = stage.getBoundingClientRect();
    picture.style.zoom = PICTURE / LARGE;
    picture.style.setProperty('--room', `${(width - 48) / PICTURE}px`);
    const room = [(width - 48) / PICTURE, (height - 24) / PICTURE - view.offsetHeight + box.offsetHeight];
    box.style.cssText = `width:${Math.min(wide, room[0])}px;height:${Math.min(high, room[1])}px`;
    svg.style.width = `${wide}px`;
    picture.window = [Math.max(0, wide - room[0]), Math.max(0, high - room[1]), ...room];
    picture.watch ??= new MutationObserver(changes => follow(picture, changes));
    picture.watch.observe(svg, {childList: true, subtree: true, attributes: true, attributeFilter: ['x', 'y', 'width', 'height', 'd', 'class']});
  }
  function follow(picture, changes) {
    const svg = picture.querySelector('.box > svg'), [farX, farY, wide, high] = picture.window, from = svg.getBoundingClientRect();
    const scale = from.width / svg.viewBox.baseVal.width;
    const boxesOf = nodes => nodes.filter(node => node.matches?.('svg > *') && node.isConnected)
      .map(node => node.getBoundingClientRect()).filter(({width, height}) => width < wide * scale && height < high * scale);
    const fresh = boxesOf(changes.flatMap(({addedNodes}) => [...addedNodes])); // what is new says more than what has changed
    const boxes = fresh.length ? fresh : boxesOf(changes.map(({target}) => target));
    if (!boxes.length) return;
    const middle = (low, high, start) => ((Math.min(...boxes.map(box => box[low])) + Math.max(...boxes.map(box => box[high]))) / 2 - start) / scale;
    const x = middle('left', 'right', from.left) - wide / 2, y = middle('top', 'bottom', from.top) - high / 2;
    svg.style.transform = `translate(${-Math.min(Math.max(0, x), farX)}px, ${-Math.min(Math.max(0, y), farY)}px)`;
  }

  // ---- votes: a letter counts a hand, with Shift it takes one back; the answer with the most hands is chosen
  const rows = () => [...stage.querySelectorAll('.mc-card.question .row')].filter(seen);
  const called = row => `${row.closest('.mc-card').dataset.of} ${row.querySelector('.text').firstChild.textContent}`;
  function vote(row, more) {
    votes.set(called(row), Math.max(0, (votes.get(called(row)) ?? 0) + more));
    const most = rows().sort((a, b) => (votes.get(called(b)) ?? 0) - (votes.get(called(a)) ?? 0))[0].querySelector('input');
    most.checked = true;
    most.focus();
    count();
  }
  function count() {
    for (const row of rows()) {
      const many = votes.get(called(row)), text = many ? ` ${many}` : '';
      const shown = row.querySelector('.votes') ?? row.appendChild(Object.assign(document.createElement('b'), {className: 'votes'}));
      if (shown.textContent !== text) shown.textContent = text;
    }
  }
  const keys = event => {
    if (!panel.isConnected) return document.removeEventListener('keydown', keys, true);
    const [from, to] = event.shiftKey ? [stage, last] : [last, stage], writes = event.target.matches('textarea, input:not([type=radio])');
    const round = event.key === 'Tab' && document.activeElement === from && (() => to.focus());
    // a small window of the picture of a tape is closed first, and the editor of a card is left
    if (event.key === 'Escape' && document.activeElement.closest('.mc2 :is(.account, .more[open]), .mc-card textarea')) return;
    const row = !writes && !event.ctrlKey && !event.metaKey && !event.altKey && event.key.length === 1
      && rows().find(each => each.dataset.key === event.key.toUpperCase() && each.querySelector('input'));
    const act = {PageDown: () => turn(1), PageUp: () => turn(-1), Escape: () => fill(false)}[event.key]
      || round || (row && (() => vote(row, event.shiftKey ? -1 : 1)));
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  };
  let drawn = 0; // a picture, or an image, comes a moment later
  const again = () => {
    clearTimeout(drawn);
    drawn = setTimeout(cut, 60);
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
    for (const host of detail.data ? stage.children : []) if (host.dataset.of === detail.of) detail.render(detail.data, host);
  };
  keepKeys(panel);
  document.addEventListener('minicell-told', hear);
  new ResizeObserver(again).observe(panel);
  new MutationObserver(changes => {
    if (changes.some(({target}) => target.matches('.box') || !target.closest('.mc2 .view, .votes, pre, .row'))) again();
  }).observe(stage, {childList: true, subtree: true});
  for (const button of panel.querySelectorAll('[data-ask]')) button.onclick = () => ask(JSON.parse(button.dataset.ask));
  one('input').onkeydown = ({key, target}) => { if (key === 'Enter') { ask({code: target.value}); target.value = ''; } };
  last.onclick = () => fill(false);
  begin(50);
}
