// Plays one picture: `root` is the element to play in, `data` is {layouts: [wide, narrow?], open: step, lost: a line
// under it, or ''}, `css` its style.
//
// The player knows shapes and steps, and nothing of autodiff: Python has drawn every frame. A layout is
//   w, h   its size
//   n      shapes in paint order: [tag, key, [[step, change], …]]; a change holds the attributes that differ
//          (null: no more), and 0 stands for a shape that is gone
//   s      steps: {t: title, c: caption, at: [x, y] on the step line, go: ids of what leads here, jump: a button's label}
//   tape   the step line: {w, h, x, y, label, shapes: [[tag, attributes, step], …], dots}: its rail begins at (x, y)
//   l      value -> {l: the values that light with it, r: what is read out, with {} for the number as it is shown}
//   r      value -> its account {t: title, h: heads, rows: [[class, cells…]], p: note}, or a text that says where it is
// and among a shape's attributes T is its text, v the value it shows, rc the value whose account it opens, go the card
// or the line of code that it is, draw and late milliseconds of motion.
function play(root, data, css) {
  const WAIT = 1500; // ms a step, while it plays
  let [links, accounts] = ['l', 'r'].map(name => new Map(Object.entries(data.layouts[0][name]))); // by value
  const motion = makeMotion(), calm = matchMedia('(prefers-reduced-motion: reduce)');
  let layout, nodes, leads, stage, line, playhead, done, lineShapes, dots; // of the layout that is shown
  let now = -1, playing = 0, account = null;

  // ---- the page around the picture
  const view = html('div', null, 'view');
  const head = html('div', view, 'head');
  const title = html('div', head, 'title'), says = html('div', head, 'says');
  const caption = html('p', says), readout = html('p', says, 'readout');
  if (links.size) html('span', says, 'hint', 'point at a number to trace it');
  const live = html('div', view, 'live');
  live.setAttribute('aria-live', 'polite');
  const box = html('div', view, 'box'), bar = html('div', view, 'bar');
  if (data.lost) html('p', view, 'lost', data.lost);
  const turns = html('div', bar, 'turns');
  const back = icon(button(turns, '', 'One step back (←)', () => go(now - 1)), 'Back', 'M10 3L5 8l5 5');
  const player = icon(button(turns, '', 'Play the steps one after another', () => run(!playing)), 'Play', PLAY);
  const next = button(turns, 'Next', 'One step on (→)', () => go(now + 1));
  const jumps = html('div', bar, 'turns');
  const more = html('details', bar, 'more');
  html('summary', more, '', '…').setAttribute('aria-label', 'More');
  button(more, 'Save as SVG', 'Save this step as a picture', () => {
    motion.settle();
    light(null);
    more.open = false;
    save({stage, size: layout, title, caption, ground: view}, `step-${now + 1}.svg`);
  });

  // ---- shapes: from changes to whole states, each from a step on
  function unfold([tag, , changes]) {
    let state = null;
    const states = changes.map(([step, change]) => {
      state = change ? {...state, ...change} : null;
      for (const name in state) if (state[name] === null) delete state[name];
      return [step, state];
    });
    return {tag, states, shown: null, element: null};
  }
  const stateAt = (node, step) => node.states.findLast(([from]) => from <= step)?.[1] ?? null;
  function put(element, name, value) {
    if (name === 'T') element.textContent = value ?? '';
    else if (name === 'draw' || name === 'late') return;
    else if (value == null || (name === 'go' && !leads.has(value)) || (name === 'rc' && !accounts.has(value)))
      element.removeAttribute(name); // what leads nowhere does not look as if it could be pressed
    else element.setAttribute(name, value);
  }

  function leave(node, quick) {
    const remove = () => {
      node.element.remove();
      node.element = null;
    };
    if (quick) return remove();
    const style = node.element.style;
    motion.add(FADE, part => { style.opacity = 1 - part; }, remove);
  }
  function change(node, state, above, quick, onward) {
    const before = node.shown;
    node.shown = state;
    if (!state) return leave(node, quick);
    const element = (node.element ??= stage.insertBefore(svg(node.tag), above));
    for (const name in before) if (!(name in state)) put(element, name, null);
    for (const name in state) {
      if (before && before[name] === state[name]) continue;
      const way = before && !quick && between(name, before[name], state[name]);
      if (way) motion.add(MOVE, part => put(element, name, way(part)), () => put(element, name, state[name]));
      else put(element, name, state[name]);
    }
    if (!before && !quick) motion.show(element, onward ? state : {});
  }

  // ---- steps
  function go(step, quick = false) {
    step = Math.max(0, Math.min(layout.s.length - 1, step));
    if (step === now) return;
    const first = now < 0, onward = step > now, {t, c} = layout.s[step];
    motion.settle();
    closeAccount();
    light(null);
    now = step;
    const focused = document.activeElement;
    let above = null; // from the top down, so that each new shape knows what it goes under
    for (let i = nodes.length - 1; i >= 0; i--) {
      const node = nodes[i], state = stateAt(node, step);
      if (node.element && !state && node.element === focused) line.focus(); // lest the next key goes to the page
      if (state !== node.shown) change(node, state, above, quick || first || calm.matches, onward);
      above = node.element || above;
    }
    title.textContent = t;
    caption.textContent = c;
    if (!first) live.textContent = `Step ${step + 1} of ${layout.s.length}. ${sentence(t)} ${c}`;
    showPlace();
    rove();
    relight();
    motion.start();
    root.dispatchEvent(new CustomEvent('tapestep', {detail: now})); // a page may stand around the picture
  }
  const sentence = text => (/[.!?…]$/.test(text) ? text : text + '.');
  function showPlace() {
    const {t, at} = layout.s[now], last = layout.s.length - 1;
    line.setAttribute('aria-valuenow', now + 1);
    line.setAttribute('aria-valuetext', `Step ${now + 1} of ${last + 1}: ${t}`);
    playhead.setAttribute('cx', at[0]);
    done.setAttribute('width', Math.max(0, at[0] - layout.tape.x));
    dots.forEach((dot, i) => dot.classList.toggle('past', i < now));
    for (const [shape, since] of lineShapes) shape.classList.toggle('todo', since > now);
    for (const [press, end] of [[back, now === 0], [next, now === last]]) {
      if (end && document.activeElement === press) line.focus(); // a disabled button would lose the keys
      press.disabled = end;
    }
    if (now === last) run(false);
    for (const jump of jumps.children) jump.ariaCurrent = jump.dataset.step.split(' ').includes(`${now}`) ? 'step' : null;
  }
  function run(on) {
    clearInterval(playing);
    if (on && now === layout.s.length - 1) go(0, true);
    playing = on ? setInterval(() => (root.isConnected ? go(now + 1) : run(false)), WAIT) : 0;
    icon(player, on ? 'Pause' : 'Play', on ? 'M5 3v10M11 3v10' : PLAY);
  }

  // ---- the step line
  function makeLine(tape) {
    line = svg('svg', null, {viewBox: `0 0 ${tape.w} ${tape.h}`, role: 'slider', tabindex: 0,
      'aria-label': tape.label, 'aria-valuemin': 1, 'aria-valuemax': layout.s.length});
    line.style.flexBasis = line.style.minWidth = `min(${tape.w}px, 100%)`; // smaller, and its texts would be too small
    line.style.maxWidth = `${tape.w * 1.3}px`;
    svg('rect', line, {width: tape.w, height: tape.h, class: 'row'});
    const draw = ([tag, attributes, since]) => {
      const shape = svg(tag, line);
      for (const name in attributes) put(shape, name, attributes[name]);
      return [shape, since];
    };
    const [rail, ...notes] = tape.shapes, y = layout.s[0].at[1];
    draw(rail);
    done = svg('rect', line, {x: tape.x, y: tape.y, height: 3, rx: 1.5, class: 'run'});
    dots = tape.dots ? layout.s.map(({at, t}, i) => {
      const dot = svg('circle', line, {cx: at[0], cy: at[1], r: 3, class: 'dot'});
      svg('title', dot).textContent = `${i + 1}. ${t}`;
      return dot;
    }) : [];
    lineShapes = notes.map(draw);
    playhead = svg('circle', line, {cy: y, r: 8, class: 'dot cur'});
    line.onpointerdown = event => {
      line.setPointerCapture(event.pointerId);
      line.focus();
      go(nearest(event));
      line.onpointermove = moved => go(nearest(moved), true);
    };
    line.onpointerup = line.onpointercancel = () => { line.onpointermove = null; };
  }
  function nearest(event) { // the step whose place is nearest to the pointer
    const edge = line.getBoundingClientRect(), x = (event.clientX - edge.x) / edge.width * layout.tape.w;
    const far = ({at}) => Math.abs(at[0] - x);
    return layout.s.reduce((best, step, i) => (far(step) < far(layout.s[best]) ? i : best), 0);
  }

  // ---- touch: a number lights those that it was computed from
  function light(value) {
    for (const element of stage.querySelectorAll('[lit]')) element.removeAttribute('lit');
    const link = links.get(value);
    says.classList.toggle('reads', Boolean(link && link.r));
    readout.textContent = said(value);
    if (!link) return;
    const partners = new Set([value, ...link.l]);
    for (const element of stage.querySelectorAll('[v]'))
      if (partners.has(element.getAttribute('v'))) element.setAttribute('lit', '');
  }
  // What is read out: the number in it is the one that is shown.
  function said(value) {
    const shows = element => element.tagName === 'text' && element.getAttribute('v') === value;
    const number = [...stage.querySelectorAll('[v]')].find(shows);
    return (links.get(value)?.r || '').replace('{}', number ? number.textContent : '…');
  }
  const valueOf = element => (element ? element.closest('[v]')?.getAttribute('v') : null);
  // Nothing under the pointer: then what the open account is of, or what has the focus.
  const relight = () => light(valueOf(account?.of ?? (box.contains(document.activeElement) && document.activeElement)));
  const pointed = event => (valueOf(event.target) ? light(valueOf(event.target)) : relight());
  box.addEventListener('pointerover', pointed);
  box.addEventListener('pointerleave', pointed);
  box.addEventListener('focusin', pointed);
  box.addEventListener('focusout', () => (account ? relight() : light(null)));
  box.addEventListener('click', event => {
    const number = event.target.closest('[rc]'), goes = event.target.closest('[go]');
    if (number) return openAccount(number);
    if (!goes) return closeAccount();
    const steps = leads.get(goes.getAttribute('go'));
    go(steps.find(step => step > now) ?? steps[0]);
  });
  view.addEventListener('pointerdown', event => {
    if (account && !account.dialog.contains(event.target)) closeAccount();
    if (!more.contains(event.target)) more.open = false;
  });

  // ---- numbers that have an account: one of them is a tab stop, arrows lead from one to the next
  const numbers = () => [...stage.querySelectorAll('[rc]')];
  function rove(to) {
    const all = numbers();
    const stop = to || all.find(number => number.getAttribute('tabindex') === '0') || all[0];
    for (const number of all) {
      const value = number.getAttribute('v') ?? number.getAttribute('rc');
      number.setAttribute('role', 'button');
      number.setAttribute('aria-label', said(value) || value);
      number.setAttribute('tabindex', number === stop ? 0 : -1);
    }
    if (to) to.focus();
  }
  function neighbour(from, [right, down]) {
    const place = number => ['x', 'y'].map(name => +number.getAttribute(name));
    const [x, y] = place(from);
    const far = number => { // Infinity: it lies behind
      const [dx, dy] = [place(number)[0] - x, place(number)[1] - y], ahead = dx * right + dy * down;
      return ahead > 1 ? ahead + 3 * (Math.abs(dx * down) + Math.abs(dy * right)) : Infinity;
    };
    return numbers().filter(number => far(number) < Infinity).sort((a, b) => far(a) - far(b))[0] ?? null;
  }
  function openAccount(number) {
    closeAccount();
    const told = accounts.get(number.getAttribute('rc'));
    if (typeof told === 'string') {
      says.classList.add('reads');
      readout.textContent = live.textContent = told;
      return;
    }
    const dialog = makeAccount(told, () => closeAccount(true));
    view.append(dialog);
    account = {dialog, of: number};
    light(valueOf(number));
    layBeside(dialog, number, view, [...stage.querySelectorAll('[lit]')]);
    dialog.querySelector('button').focus({preventScroll: true});
  }
  function closeAccount(refocus) {
    if (!account) return;
    const {dialog, of} = account;
    account = null;
    dialog.remove();
    light(null);
    if (refocus) of.focus();
  }

  // ---- keys
  const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
  function pressed(key, target) {
    const number = target.closest('[rc]'), arrow = ARROWS[key], inside = target.closest('.account, .more');
    if (key === 'Escape' && account) closeAccount(true);
    else if (key === 'Escape') return more.open && (more.open = false, more.firstChild.focus(), true);
    else if (inside) return false;
    else if (number && arrow) rove(neighbour(number, arrow));
    else if (number && (key === 'Enter' || key === ' ')) openAccount(number);
    else if (arrow) go(now + arrow[0] + arrow[1]);
    else if (key === 'Home') go(0);
    else if (key === 'End') go(layout.s.length - 1);
    else if (key === ' ' && target === line) run(!playing);
    else return false;
    return true;
  }
  view.addEventListener('keydown', event => {
    const held = event.ctrlKey || event.altKey || event.metaKey;
    if (!held && pressed(event.key, event.target)) event.preventDefault();
  });

  // ---- layouts: the wide one where it fits at its own size, so that no text is smaller than it was drawn
  function load(chosen) {
    motion.settle();
    closeAccount();
    layout = chosen;
    now = -1;
    nodes = layout.n.map(unfold);
    leads = new Map();
    layout.s.forEach(({go: ids}, step) => ids.forEach(id => leads.set(id, [...leads.get(id) ?? [], step])));
    stage = svg('svg', null, {viewBox: `0 0 ${layout.w} ${layout.h}`, role: 'group', 'aria-label': 'The picture, drawn'});
    stage.style.minWidth = `${layout.w}px`; // where there is less room it scrolls: smaller, its texts could not be read
    box.replaceChildren(stage);
    line?.remove();
    makeLine(layout.tape);
    jumps.before(line);
    bar.hidden = layout.s.length < 2; // nowhere to step to
    jumps.replaceChildren();
    for (const label of new Set(layout.s.map(({jump}) => jump).filter(Boolean))) { // of several such steps the next
      const steps = layout.s.flatMap(({jump}, step) => (jump === label ? step : []));
      const lead = () => go(steps.find(step => step > now) ?? steps[0]);
      button(jumps, label, `Go to: ${layout.s[steps[0]].t}`, lead).dataset.step = steps.join(' ');
    }
  }
  function reserve() { // room for the longest title and caption, so that nothing below the head jumps
    for (const [element, around, name] of [[title, title, 't'], [caption, says, 'c']]) {
      around.style.minHeight = '';
      const longest = layout.s.map(step => step[name]).sort((a, b) => b.length - a.length).slice(0, 4);
      around.style.minHeight = `${Math.max(...longest.map(text => {
        element.textContent = text;
        return element.offsetHeight;
      }))}px`;
      element.textContent = layout.s[now][name];
    }
  }
  let width = -1;
  function fit() {
    if (root.clientWidth === width || (layout && !root.clientWidth)) return; // out of sight it stays as it is
    width = root.clientWidth;
    const [wide, narrow] = data.layouts, chosen = narrow && width && width < wide.w ? narrow : wide;
    const step = now < 0 ? data.open : now;
    if (chosen !== layout) {
      load(chosen);
      view.className = chosen === wide ? 'view' : 'view narrow';
      const pane = root.closest('.jp-WindowedPanel-outer'), bars = 226 + (pane ? innerHeight - pane.clientHeight : 0);
      view.style.maxWidth = chosen === wide
        ? `max(${wide.w}px, min(1180px, calc((100vh - ${bars}px) * ${wide.w / wide.h})))` : `${Math.round(chosen.w * 1.3)}px`;
    } else motion.settle();
    const scrolls = width > 0 && width < chosen.w;
    box.classList.toggle('scrolls', scrolls);
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute('tabindex');
    go(step, true);
    reserve();
  }
  // ---- other pictures, at the step that is shown
  function take(layouts) {
    [links, accounts] = ['l', 'r'].map(name => new Map(Object.entries(layouts[0][name])));
    data.layouts = layouts;
    width = -1;
    fit();
  }
  const style = html('style', null, '', css);
  root.replaceChildren(style, view);
  keepKeys(root);
  fit();
  new ResizeObserver(fit).observe(root);
  return Object.assign(take, {go});
}

// ---- elements
const PLAY = 'M5 3v10l8-5z';
function icon(element, name, d) { // a button that shows a sign, and is called by its name
  element.setAttribute('aria-label', name);
  element.replaceChildren(svg('path', svg('svg', null, {viewBox: '0 0 16 16', class: 'icon'}), {d}).parentNode);
  return element;
}
function html(tag, parent, name, text) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text != null) element.textContent = text;
  if (parent) parent.append(element);
  return element;
}
function button(parent, label, hint, press) {
  const element = html('button', parent, '', label);
  element.type = 'button';
  element.title = hint;
  element.onclick = press;
  return element;
}
function svg(tag, parent, attributes = {}) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (parent) parent.append(element);
  return element;
}
