// Saves a step as an SVG file that stands alone: its colours, as they are on the screen, are written into the shapes.
const GEOMETRY = ['x', 'y', 'width', 'height', 'rx', 'd', 'transform'];
const PAINT = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity'];
const FONT = ['font-family', 'font-size', 'font-weight', 'text-anchor'];

function save({stage, size, title, caption, ground}, name) {
  const picture = svg('svg', null, {role: 'img'}), width = size.w + 4;
  svg('title', picture).textContent = `${title.textContent} ${caption.textContent}`;
  const paper = svg('rect', picture, {x: -2, width, fill: getComputedStyle(ground).backgroundColor});
  let y = 0;
  for (const words of [title, caption]) {
    const {font, lineHeight, color} = getComputedStyle(words);
    for (const row of wrapped(words.textContent, size.w, font)) {
      y += parseFloat(lineHeight);
      svg('text', picture, {x: 2, y: y - 6, fill: color, style: `font:${font}`}).textContent = row;
    }
  }
  const shapes = svg('g', picture, {transform: `translate(0 ${y + 8})`});
  for (const shape of stage.children) {
    const style = getComputedStyle(shape), copy = svg(shape.tagName, shapes);
    for (const each of GEOMETRY) if (shape.hasAttribute(each)) copy.setAttribute(each, shape.getAttribute(each));
    for (const each of shape.tagName === 'text' ? [...PAINT, ...FONT] : PAINT)
      copy.setAttribute(each, style.getPropertyValue(each));
    copy.textContent = shape.textContent.replace(/ (?= )|^ /g, '\u00a0'); // SVG alone would drop the indentation
  }
  const height = y + size.h + 12;
  paper.setAttribute('height', height);
  for (const [each, value] of Object.entries({width, height, viewBox: `-2 0 ${width} ${height}`}))
    picture.setAttribute(each, value);
  const text = new XMLSerializer().serializeToString(picture), link = html('a');
  link.href = URL.createObjectURL(new Blob([text], {type: 'image/svg+xml'}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A text in rows of at most so many pixels, broken at spaces.
function wrapped(text, room, font) {
  const pen = html('canvas').getContext('2d');
  pen.font = font;
  return text.split(' ').reduce((done, word) => {
    const longer = done.length ? `${done.at(-1)} ${word}` : word;
    return done.length && pen.measureText(longer).width > room ? [...done, word] : [...done.slice(0, -1), longer];
  }, []);
}
