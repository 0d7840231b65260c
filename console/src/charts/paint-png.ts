/**
 * A picture of a chart. The browser can only turn HTML and SVG into pixels by way of an image with a `data:` address, and
 * the content security policy of the console allows none. So the elements are painted one by one as they are on screen:
 * backgrounds, borders, texts, and the few shapes that charts consist of.
 */

const SCALE = 2;
const MARGIN = 16;

/** Not part of the picture. */
const LEFT_OUT = '.chart-tip, .visually-hidden, title';

export function paintPng(root: HTMLElement): Promise<Blob> {
  const restore = showWhole(root);
  try {
    const canvas = paintCanvas(root);
    return new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture is too large.'))), 'image/png'),
    );
  } finally {
    restore();
  }
}

/** Without the tables beside charts, and as wide as tables that scroll. Returns how to undo it, before it is seen. */
function showWhole(root: HTMLElement): () => void {
  const leftOut = [...root.querySelectorAll<HTMLElement>('.no-picture')];
  for (const element of leftOut) element.style.display = 'none';
  const frames = [...root.querySelectorAll('.table-frame, .sankey')];
  const hidden = Math.max(0, ...frames.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
  if (hidden > 0) root.style.width = `${root.clientWidth + hidden}px`;
  return () => {
    root.style.width = '';
    for (const element of leftOut) element.style.display = '';
  };
}

function paintCanvas(root: HTMLElement): HTMLCanvasElement {
  const box = root.getBoundingClientRect();
  const canvas = document.createElement('canvas');
  canvas.width = (box.width + 2 * MARGIN) * SCALE;
  canvas.height = (box.height + 2 * MARGIN) * SCALE;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser cannot draw pictures.');
  context.scale(SCALE, SCALE);
  context.fillStyle = surfaceColour(root);
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.translate(MARGIN - box.left, MARGIN - box.top);
  paint(context, root, 1);
  return canvas;
}

/** The nearest background. */
function surfaceColour(element: Element | null): string {
  if (element === null) return '#fff';
  const { backgroundColor } = getComputedStyle(element);
  return isVisible(backgroundColor) ? backgroundColor : surfaceColour(element.parentElement);
}

const isVisible = (colour: string): boolean => colour !== 'none' && !/^rgba\(.*, 0\)$|^transparent$/.test(colour);

type Context = CanvasRenderingContext2D;

function paint(context: Context, element: Element, inherited: number): void {
  const style = getComputedStyle(element);
  if (element.matches(LEFT_OUT) || style.display === 'none' || style.visibility === 'hidden') return;
  const opacity = inherited * Number(style.opacity);
  context.save();
  if (element instanceof SVGElement) paintShape(context, element, style, opacity);
  else paintBox(context, element, style, opacity);
  for (const node of element.childNodes) {
    if (node instanceof Text) paintText(context, node, style, opacity);
    else if (node instanceof Element && node.tagName !== 'defs') paint(context, node, opacity);
  }
  context.restore();
}

function paintBox(context: Context, element: Element, style: CSSStyleDeclaration, opacity: number): void {
  const { left, top, width, height } = element.getBoundingClientRect();
  context.globalAlpha = opacity;
  if (isVisible(style.backgroundColor)) {
    context.fillStyle = style.backgroundColor;
    context.beginPath();
    context.roundRect(left, top, width, height, Number.parseFloat(style.borderRadius) || 0);
    context.fill();
  }
  const line = Number.parseFloat(style.borderBottomWidth);
  if (line > 0 && style.borderBottomStyle !== 'none') {
    context.fillStyle = style.borderBottomColor;
    context.fillRect(left, top + height - line, width, line);
  }
  if (style.overflow !== 'visible') {
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
  }
}

function paintShape(context: Context, element: SVGElement, style: CSSStyleDeclaration, opacity: number): void {
  const path = shapeOf(element);
  const matrix = element instanceof SVGGraphicsElement ? element.getScreenCTM() : null;
  if (path === null || matrix === null) return;
  context.save();
  context.transform(matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f);
  // A pattern marks what is unfinished; a tint of the same colour does in a picture.
  const isPattern = style.fill.startsWith('url');
  if (isVisible(style.fill) && !(element instanceof SVGLineElement)) {
    context.globalAlpha = opacity * (isPattern ? 0.12 : Number(style.fillOpacity));
    context.fillStyle = isPattern ? style.color : style.fill;
    context.fill(path);
  }
  if (isVisible(style.stroke)) {
    context.globalAlpha = opacity * Number(style.strokeOpacity);
    context.strokeStyle = style.stroke;
    context.lineWidth = Number.parseFloat(style.strokeWidth);
    context.lineCap = style.strokeLinecap as CanvasLineCap;
    context.lineJoin = 'round';
    const dashes = style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(/[\s,]+/).map(Number.parseFloat);
    context.setLineDash(dashes);
    context.stroke(path);
  }
  context.restore();
}

function shapeOf(element: SVGElement): Path2D | null {
  const read = (name: string): number => Number(element.getAttribute(name) ?? 0);
  if (element instanceof SVGPathElement) return new Path2D(element.getAttribute('d') ?? '');
  const path = new Path2D();
  if (element instanceof SVGCircleElement) path.arc(read('cx'), read('cy'), read('r'), 0, 2 * Math.PI);
  else if (element instanceof SVGRectElement) path.rect(read('x'), read('y'), read('width'), read('height'));
  else if (element instanceof SVGLineElement) {
    path.moveTo(read('x1'), read('y1'));
    path.lineTo(read('x2'), read('y2'));
  } else return null;
  return path;
}

/** Line by line, where the browser broke them. */
function paintText(context: Context, node: Text, style: CSSStyleDeclaration, opacity: number): void {
  context.globalAlpha = opacity;
  context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  context.fillStyle = node.parentElement instanceof SVGElement ? style.fill : style.color;
  context.textBaseline = 'alphabetic';
  for (const { text, left, middle } of linesOf(node)) {
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = context.measureText(text);
    context.fillText(text, left, middle + (up - down) / 2);
  }
}

function linesOf(node: Text): { text: string; left: number; middle: number }[] {
  const range = document.createRange();
  const lines: { text: string; left: number; middle: number }[] = [];
  let at = 0;
  for (const letter of node.data) {
    range.setStart(node, at);
    at += letter.length;
    range.setEnd(node, at);
    const box = range.getBoundingClientRect();
    if (box.width === 0) continue;
    const middle = (box.top + box.bottom) / 2;
    const line = lines.at(-1);
    if (line && Math.abs(line.middle - middle) < 2) {
      line.text += letter;
      line.left = Math.min(line.left, box.left);
    } else lines.push({ text: letter, left: box.left, middle });
  }
  return lines;
}
