/**
 * How cells are written. `safe`: a cell that a spreadsheet would run as a formula begins with an apostrophe, which
 * spreadsheets hide. `raw`: as they are, for programs.
 */
export type CsvCells = 'safe' | 'raw';

/** One line of CSV (RFC 4180). */
export const csvLine = (cells: readonly string[], style: CsvCells = 'safe'): string =>
  `${cells.map((cell) => quote(style === 'safe' ? defuse(cell) : cell)).join(',')}\r\n`;

/** A value of a query as a cell. */
export const csvCell = (value: unknown): string =>
  value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

const quote = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Names and properties come from strangers: `=HYPERLINK(…)` would send a whole row away at a click. */
const defuse = (cell: string): string => (FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell);

/** The wide forms start a formula, too, where they are usual. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
