const quote = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** One line of a table as RFC 4180 has it. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(quote).join(',')}\r\n`;
