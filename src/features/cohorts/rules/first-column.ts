/**
 * The first column of a CSV text, row by row. Cells may be quoted, with any line endings; they are trimmed, and empty ones
 * are skipped.
 */
export function* firstColumn(text: string): Generator<string> {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at < text.length) {
    const { cell, end } = readCell(text, at);
    const trimmed = cell.trim();
    if (trimmed !== '') yield trimmed;
    at = nextRow(text, end);
  }
}

function readCell(text: string, start: number): { cell: string; end: number } {
  if (text[start] !== '"') {
    const end = endOf(text, start, UNQUOTED_END);
    return { cell: text.slice(start, end), end };
  }
  const end = closingQuote(text, start + 1);
  return { cell: text.slice(start + 1, end).replaceAll('""', '"'), end: Math.min(end + 1, text.length) };
}

const UNQUOTED_END = /[,\r\n]/g;
const ROW_END = /["\r\n]/g;

function endOf(text: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/** Two quotes in a row are an escaped one. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return text.length;
}

/** Skips the other cells of the row; quoted ones may contain line breaks. A quote inside an unquoted cell is literal. */
function nextRow(text: string, from: number): number {
  for (let at = endOf(text, from, ROW_END); at < text.length; at = endOf(text, at, ROW_END)) {
    if (text[at] !== '"') return at + (text.startsWith('\r\n', at) ? 2 : 1);
    at = text[at - 1] === ',' ? closingQuote(text, at + 1) + 1 : at + 1;
  }
  return text.length;
}
