import { type CsvCells, csvCell, csvLine } from '../../lib/csv-line.ts';

interface Rows {
  columns: readonly string[];
  results: readonly (readonly unknown[])[];
}

export const rowsCsv = ({ columns, results }: Rows, cells: CsvCells): string =>
  [columns, ...results.map((row) => row.map(csvCell))].map((line) => csvLine(line, cells)).join('');
