/** The rows of persons with their ids, where the store can answer several statements from the same data. */
import type { EventQuery } from '../../../query/event-query.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { ChangeMark, EventChanges } from '../../../stores/events/event-changes.ts';
import type { ColumnTable, UuidColumn } from '../../../stores/events/event-store.ts';
import { UuidHalves } from '../../../stores/events/uuid-column.ts';
import type { ActorBatch } from '../../insights/shared/actor-rows.ts';
import type { ExperimentQuestion } from '../rules/experiment-question.ts';
import { eventsStatements, exposuresStatements, type ReadPersons } from './apart-sql.ts';
import type { ExperimentRows, ExposureRows } from './experiment-rows.ts';
import { planReading, type Reading } from './reading.ts';
import { RowCollector } from './row-collector.ts';

type ChangeDeps = Pick<ScanDeps, 'signal'> & { changes: EventChanges };

/** Rows, and who the actors are. */
interface IdentifiedRows {
  /** By the number of the actor. */
  ids: UuidColumn;
  rows: ExperimentRows;
}

/** So many events are read by one statement, while the rows of the one before are put into blocks: some 15 MB. */
const SLICE_SIZE = 2_000_000;

/** The rows of some of the exposed. */
export async function identifiedRows(
  deps: ChangeDeps,
  query: EventQuery,
  question: ExperimentQuestion,
  mark: ChangeMark,
  batch: ActorBatch,
): Promise<IdentifiedRows> {
  const slices = deps.changes.sliceRows(mark, SLICE_SIZE);
  const reading = planReading(question);
  const { exposed, rows } = await readApart(deps, query, reading, { kind: 'exposed', batch }, slices);
  const exposures = exposuresOf(exposed, reading);
  return { ids: idsOf(exposed, exposures), rows: rows.rows(exposures) };
}

interface RowsOfPersons {
  /** Resolves when only the statement for their events is left, which takes the longest. */
  begun: Promise<unknown>;
  rows: Promise<ExperimentRows>;
}

/** The rows of these persons, exposed or not: the first one is number 0, and so on. */
export function rowsOfPersons(
  deps: ChangeDeps,
  query: EventQuery,
  question: ExperimentQuestion,
  ids: readonly string[],
): RowsOfPersons {
  const reading = planReading(question);
  let onBegin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    onBegin = resolve;
  });
  const read = async (): Promise<ExperimentRows> => {
    const { exposed, rows } = await readApart(deps, query, reading, { kind: 'listed', ids }, ['true'], onBegin);
    return rows.rows(exposuresOf(exposed, reading));
  };
  const rows = read();
  return { begun: Promise.race([begun, rows]), rows };
}

interface ApartReader {
  exposed: ColumnTable;
  rows: RowCollector;
  add(table: ColumnTable, place: number): void;
}

/** Exposures and other events by statements that see the same data. */
function readApart(
  { changes, signal }: ChangeDeps,
  query: EventQuery,
  reading: Reading,
  persons: ReadPersons,
  slices: readonly string[],
  onBegin: () => void = () => undefined,
): Promise<ApartReader> {
  const events = eventsStatements(query, reading, persons, slices);
  const begin = ([exposed]: readonly ColumnTable[]): ApartReader => {
    if (exposed === undefined) throw new Error('There are no exposures to read.');
    onBegin();
    const rows = new RowCollector(reading);
    return { exposed, rows, add: (table, place) => rows.add(table, events[place]?.hasNumbers ?? false) };
  };
  return changes.queryParts(exposuresStatements(query, reading, persons), events, begin, signal);
}

function exposuresOf(table: ColumnTable, { hasTies }: Reading): ExposureRows {
  const uuids = hasTies ? table.uuids('uuid') : null;
  return {
    actor: table.integers('actor'),
    at: table.doubles('at'),
    code: table.integers('code'),
    distinctId: table.doubles('distinct_id'),
    tieOrder: uuids && ((a, b) => uuids.compare(a, b)),
  };
}

/** By actor: the number of each is that of their exposures. */
function idsOf(table: ColumnTable, { actor }: ExposureRows): UuidColumn {
  const { words, ...halves } = table.uuids('id').words;
  const own = new BigUint64Array(2 * actor.reduce((most, who) => Math.max(most, who + 1), 0));
  // Words of 64 bits would be an object each.
  const [from, to] = [new Uint32Array(words.buffer, words.byteOffset), new Uint32Array(own.buffer)];
  for (let row = 0; row < actor.length; row++) {
    const [source, target] = [4 * row, 4 * (actor[row] as number)];
    for (let word = 0; word < 4; word++) to[target + word] = from[source + word] as number;
  }
  return new UuidHalves({ words: own, ...halves });
}
