import { Readable } from 'node:stream';
import { type CsvCells, csvCell, csvLine } from '../../lib/csv-line.ts';
import type { SqlAnswer } from './child/protocol.ts';
import { rowBatches } from './sql-rows.ts';

type Answer = Pick<SqlAnswer, 'columns' | 'rows'>;

export const rowsCsv = (answer: Answer, cells: CsvCells): Readable => Readable.from(csvPieces(answer, cells));

async function* csvPieces(answer: Answer, cells: CsvCells): AsyncGenerator<string> {
  yield csvLine(answer.columns, cells);
  for await (const batch of rowBatches(answer)) yield batch.map((row) => csvLine(row.map(csvCell), cells)).join('');
}
