/** Sends the rows of a statement as a file. Its warnings are in a header: the file has no place for them. */
import type { FastifyReply } from 'fastify';
import type { CsvCells } from '../../../lib/csv-line.ts';
import { rowsCsv } from '../rows-csv.ts';
import { type StatementWarning, WARNING_HEADER, warningText } from '../rules/statement-warnings.ts';
import type { AnsweredSql, SqlFile } from '../sql-queries.ts';

export const sendRowsCsv = (reply: FastifyReply, rows: AnsweredSql, cells: CsvCells): FastifyReply =>
  withWarnings(reply, rows.warnings).type('text/csv; charset=utf-8').send(rowsCsv(rows, cells));

export async function sendRowsParquet(reply: FastifyReply, { file, warnings }: SqlFile): Promise<FastifyReply> {
  const { size } = await file.stat();
  return withWarnings(reply, warnings)
    .type('application/vnd.apache.parquet')
    .header('content-length', size)
    .send(file.createReadStream());
}

const withWarnings = (reply: FastifyReply, warnings: readonly StatementWarning[]): FastifyReply =>
  warnings.length === 0 ? reply : reply.header(WARNING_HEADER, warningText(warnings));
