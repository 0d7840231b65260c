/**
 * The exposures and the metric events of everybody who was exposed, as columns of numbers: one scan, however many
 * metrics there are.
 */
import type { EventQuery } from '../../../query/event-query.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import { actorBatches } from '../../insights/shared/actor-rows.ts';
import { countEventsIn } from '../../insights/shared/batch-sql.ts';
import type { ExperimentQuestion } from '../rules/experiment-question.ts';
import type { ExperimentRows, ExposureRows } from './experiment-rows.ts';
import { planReading, type Reading } from './reading.ts';
import { RowCollector } from './row-collector.ts';
import { togetherSql } from './rows-sql.ts';

/** Rows of some of the exposed at a time, so that the memory used is limited. */
export async function* experimentRows(
  deps: ScanDeps,
  query: EventQuery,
  question: ExperimentQuestion,
): AsyncGenerator<ExperimentRows> {
  const reading = planReading(question);
  for await (const batch of actorBatches(await countEventsIn(query, reading.range))) {
    deps.signal?.throwIfAborted();
    const statement = query.begin();
    const table = await deps.events.queryColumns(togetherSql(statement, reading, batch), statement.sql.values);
    const reader = new RowCollector(reading);
    await reader.addAll(table);
    yield reader.rows(exposuresIn(table, reading));
  }
}

/** The rows that are exposures: those with a code. */
function exposuresIn(table: ColumnTable, { hasTies, encoding: { base, from } }: Reading): ExposureRows {
  const [actor, key, code] = [table.integers('actor'), table.doubles('key'), table.integers('exposure')];
  const uuids = hasTies ? table.uuids('uuid') : null;
  const rows = rowsWithCode(code);
  return {
    actor: rows.map((row) => actor[row] as number),
    at: Float64Array.from(rows, (row) => from + Math.floor((key[row] as number) / base)),
    code: rows.map((row) => code[row] as number),
    distinctId: null,
    tieOrder: uuids && ((a, b) => uuids.compare(rows[a] as number, rows[b] as number)),
  };
}

function rowsWithCode(code: Int32Array): Int32Array {
  let count = 0;
  for (let row = 0; row < code.length; row++) if (code[row] !== 0) count++;
  const rows = new Int32Array(count);
  for (let row = 0, at = 0; row < code.length; row++) if (code[row] !== 0) rows[at++] = row;
  return rows;
}
