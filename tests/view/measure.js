// Measures one picture as Chromium draws it. `probe(svg)` answers with its texts, its lines, and what overlaps.
(() => {
  const channel = v => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const contrast = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const parts = colour => (colour.match(/[\d.]+/g) || []).map(Number);
  const said = colour => '#' + colour.map(v => Math.round(v).toString(16).padStart(2, '0')).join('').toUpperCase();
  const round = v => Math.round(v * 10) / 10;
  const pen = document.createElement('canvas').getContext('2d');
  const paper = document.createElement('canvas').getContext('2d', {willReadFrequently: true});

  // A paint as [r, g, b, alpha], with the opacity of everything around it; null where nothing is painted.
  function paint(element, kind) {
    const style = getComputedStyle(element), found = parts(style[kind]);
    if (style[kind] === 'none' || found.length < 3) return null;
    let alpha = (found[3] ?? 1) * parseFloat(style[kind === 'fill' ? 'fillOpacity' : 'strokeOpacity']);
    for (let e = element; e instanceof SVGElement; e = e.parentNode) alpha *= parseFloat(getComputedStyle(e).opacity);
    return alpha > 0 ? [...found.slice(0, 3), alpha] : null;
  }
  const over = (colour, ground) => [0, 1, 2].map(i => colour[i] * colour[3] + ground[i] * (1 - colour[3]));

  // The picture's pixels without its texts: what the texts stand on.
  async function pixels(svg, width, height) {
    const bare = svg.cloneNode(true);
    for (const t of bare.querySelectorAll('text')) t.remove();
    bare.setAttribute('width', width);
    bare.setAttribute('height', height);
    const image = new Image();
    image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(new XMLSerializer().serializeToString(bare));
    await image.decode();
    paper.canvas.width = Math.ceil(width);
    paper.canvas.height = Math.ceil(height);
    paper.drawImage(image, 0, 0);
    const {data, width: w, height: h} = paper.getImageData(0, 0, paper.canvas.width, paper.canvas.height);
    return (x, y) => {
      x = Math.floor(x), y = Math.floor(y);
      if (x < 0 || y < 0 || x >= w || y >= h) return null;
      const i = 4 * (y * w + x);
      return [data[i], data[i + 1], data[i + 2]];
    };
  }

  // The worst contrast of a colour with what is painted in a box; a few odd pixels (a corner's edge) do not count.
  function worst(at, colour, box) {
    const counts = new Map();
    let total = 0;
    for (let y = Math.ceil(box.y); y < box.y + box.h; y++)
      for (let x = Math.ceil(box.x); x < box.x + box.w; x++) {
        const c = at(x, y);
        if (!c) continue;
        const key = (c[0] << 16) | (c[1] << 8) | c[2];
        counts.set(key, (counts.get(key) || 0) + 1);
        total++;
      }
    let least = 21, ground = [255, 255, 255];
    for (const [key, count] of counts) {
      if (count < Math.max(6, total * 0.015)) continue;
      const c = [key >> 16, (key >> 8) & 255, key & 255], found = contrast(over(colour, c), c);
      if (found < least) [least, ground] = [found, c];
    }
    return [least, said(ground)];
  }

  // From how many places along a line it stands out, 3:1 or more, on one of its sides at least.
  function beside(at, colour, places) {
    let good = 0, all = 0, least = 21;
    for (const {by} of places) {
      const seen = by.map(([x, y]) => at(x, y)).filter(c => c).map(c => contrast(over(colour, c), c));
      if (!seen.length) continue;
      const most = Math.max(...seen);
      all++;
      good += most >= 3;
      least = Math.min(least, most);
    }
    return {share: all ? good / all : 1, least: round(least)};
  }

  function runs(element) {
    if (element.tagName === 'rect') {
      const [x, y, w, h] = ['x', 'y', 'width', 'height'].map(n => element[n].baseVal.value);
      return [[[x, y], [x + w, y], [x + w, y + h], [x, y + h], [x, y]]];
    }
    const out = [];
    for (const piece of element.getAttribute('d').split('M').slice(1)) {
      const numbers = piece.match(/-?[\d.]+/g).map(Number), run = [];
      for (let i = 0; i + 1 < numbers.length; i += 2) run.push([numbers[i], numbers[i + 1]]);
      if (/Z/i.test(piece)) run.push(run[0]);
      out.push(run);
    }
    return out;
  }

  // Along the strokes, pairs of places on both sides, a pixel away; and one beyond each end of a short stroke.
  function sides(element, line) {
    const out = [], off = line / 2 + 1.5;
    for (const run of runs(element))
      for (let i = 0; i + 1 < run.length; i++) {
        const [[a, b], [c, d]] = [run[i], run[i + 1]], long = Math.hypot(c - a, d - b);
        if (long < 3) continue;
        const [tx, ty] = [(c - a) / long * off, (d - b) / long * off];
        const ends = long < 12 ? [[a - tx, b - ty], [c + tx, d + ty]] : [];
        for (const t of [0.25, 0.5, 0.75]) {
          const [x, y] = [a + (c - a) * t, b + (d - b) * t];
          out.push({on: {x, y, w: 0, h: 0}, by: [[x + ty, y - tx], [x - ty, y + tx], ...ends]});
        }
      }
    return out;
  }

  const inside = (t, c, slack) =>
    c.x - slack <= t.x && t.x + t.w <= c.x + c.w + slack && c.y - slack <= t.y && t.y + t.h <= c.y + c.h + slack;
  const meet = (a, b) =>
    [Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x), Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y)];

  window.probe = async (picture, {decoration, colours}) => {
    document.body.innerHTML = picture;
    const svg = document.querySelector('svg'), view = svg.getBoundingClientRect();
    const place = e => {
      const r = e.getBoundingClientRect();
      return {x: r.left - view.left, y: r.top - view.top, w: r.width, h: r.height};
    };
    const at = colours ? await pixels(svg, view.width, view.height) : null;
    const elements = [...svg.querySelectorAll('rect, path, text')];
    const shapes = [], texts = [], lines = [];
    elements.forEach((e, order) => {
      if (e.tagName === 'text') return;
      const fill = paint(e, 'fill'), stroke = paint(e, 'stroke'), s = getComputedStyle(e);
      const found = {...place(e), order, fill: !!fill, stroke: !!stroke, name: e.tagName};
      shapes.push(found);
      if (!at) return;
      const line = parseFloat(s.strokeWidth), means = stroke && !decoration.includes(said(stroke.slice(0, 3)));
      const tip = fill && !stroke && e.tagName === 'path', points = means || tip ? sides(e, means ? line : 1) : [];
      if (points.length) {
        const colour = means ? stroke : fill;
        const where = {x: round(found.x), y: round(found.y)};
        lines.push({what: e.tagName, colour, ...where, points, order});
      }
    });
    const filled = shapes.filter(c => c.fill);
    for (const line of lines) {
      // where a filled shape was drawn over a line later, it is not seen, and need not be
      const seen = line.points.filter(p => !filled.some(c => c.order > line.order && inside(p.on, c, 0)));
      Object.assign(line, beside(at, line.colour, seen), {points: 0, colour: said(line.colour.slice(0, 3))});
    }
    elements.forEach((e, order) => {
      if (e.tagName !== 'text') return;
      const words = [...e.childNodes].filter(n => n.nodeName !== 'title').map(n => n.textContent).join('');
      const s = getComputedStyle(e), wide = place(e), baseline = e.y.baseVal.length ? e.y.baseVal[0].value : 0;
      pen.font = `${s.fontWeight} ${s.fontSize} ${s.fontFamily}`;
      const ink = pen.measureText(words), colour = paint(e, 'fill') || [255, 255, 255, 1];
      const scale = view.height / (svg.viewBox.baseVal.height || view.height);
      const mine = {x: wide.x, w: wide.w, y: baseline * scale - ink.actualBoundingBoxAscent,
                    h: ink.actualBoundingBoxAscent + ink.actualBoundingBoxDescent};
      const box = e.dataset.box ? e.dataset.box.split(' ').map(v => v * scale) : null;
      const boxes = shapes.filter(c => c.name === 'rect' || c.fill);
      const middle = {x: mine.x + mine.w / 2, y: mine.y + mine.h / 2, w: 0, h: 0};
      const holding = boxes.filter(c => c.order < order && inside(middle, c, 0)).sort((a, c) => a.w * a.h - c.w * c.h);
      // what a filled box, drawn later and around the text, has covered is not seen any more
      const cover = Math.max(-1, ...boxes.filter(c => c.fill && c.order < order && inside(mine, c, 1)).map(c => c.order));
      const torn = boxes.some(c => c.order > cover && c.order < order && !inside(mine, c, 1.25) && !inside(c, mine, 0)
        && meet(mine, c).every(v => v > 1.25));
      const lost = boxes.some(c => c.order > order && c.fill && meet(mine, c).every(v => v > 1));
      const [least, ground] = at && words.trim() ? worst(at, colour, mine) : [21, ''];
      const card = holding[0];
      texts.push({words, ...mine, box, size: parseFloat(s.fontSize), contrast: least, ground,
                  colour: said(colour.slice(0, 3)), card: card ? [card.x, card.y, card.w, card.h] : null, torn, lost});
    });
    const overlaps = [];
    for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length; j++) {
      const [a, b] = [texts[i], texts[j]];
      if (meet(a, b).every(v => v > 0.5)) overlaps.push([a.words, b.words, Math.round(a.x), Math.round(a.y)]);
    }
    const hanging = [];
    const cards = shapes.filter(c => c.name === 'rect' && c.stroke);
    for (const c of cards) for (const b of cards) {
      if (b === c || b.order < c.order || b.w * b.h > c.w * c.h) continue;
      const middle = {x: b.x + b.w / 2, y: b.y + b.h / 2, w: 0, h: 0};
      const up = {...b, y: Math.max(b.y, c.y), h: b.y + b.h - Math.max(b.y, c.y)};  // a tab stands over the top edge
      if (inside(middle, c, 0) && !inside(up, c, 3)) hanging.push([round(b.x), round(b.y), round(c.x), round(c.y)]);
    }
    const word = name => (svg.querySelector(`:scope > ${name}`) || {}).textContent || '';
    return {texts, lines, overlaps, hanging, width: view.width, height: view.height, scripts: document.querySelectorAll('script').length,
            title: word('title'), desc: word('desc')};
  };
})()
