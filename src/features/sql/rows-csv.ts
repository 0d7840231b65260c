import { type CsvCells, csvCell, csvLine } from '../../lib/csv-line.ts';
import type { SqlAnswer } from './child/protocol.ts';
import { parseRows } from './sql-rows.ts';

export const rowsCsv = (answer: Pick<SqlAnswer, 'columns' | 'rows'>, cells: CsvCells): string =>
  [answer.columns, ...parseRows(answer).map((row) => row.map(csvCell))].map((line) => csvLine(line, cells)).join('');
