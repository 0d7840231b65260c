const quote = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** One line of CSV (RFC 4180). */
export const csvLine = (cells: readonly string[]): string => `${cells.map(quote).join(',')}\r\n`;
