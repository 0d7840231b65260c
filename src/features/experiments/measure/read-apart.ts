/** The rows of persons with their ids, where the store can answer several statements from the same data. */
import type { EventQuery } from '../../../query/event-query.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { ChangeMark, EventChanges } from '../../../stores/events/event-changes.ts';
import type { ColumnTable, UuidColumn } from '../../../stores/events/event-store.ts';
import { UuidHalves } from '../../../stores/events/uuid-column.ts';
import { type ActorBatch, type ActorPart, ALL_ACTORS } from '../../insights/shared/actor-rows.ts';
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

/** So many events are read by one statement, while the rows of the one before are put into blocks: some 50 MB. */
const SLICE_SIZE = 6_000_000;

/** The rows of some of the exposed, in parts by the low bits of the numbers of actors. */
export async function identifiedRows(
  deps: ChangeDeps,
  query: EventQuery,
  question: ExperimentQuestion,
  { mark, batch, partBits }: { mark: ChangeMark; batch: ActorBatch; partBits: number },
): Promise<IdentifiedRows[]> {
  const slices = deps.changes.sliceRows(mark, SLICE_SIZE);
  const reading = planReading(question);
  const { exposed, rows } = await readApart(deps, query, reading, { kind: 'exposed', batch }, { slices, partBits });
  return Array.from({ length: 2 ** partBits }, (_, part) => {
    const exposures = exposuresOf(exposed, reading, { bits: partBits, value: part });
    return { ids: idsOf(exposed, exposures), rows: rows.rows(exposures.rows, part) };
  });
}

/** The rows of these persons, exposed or not: the first one is number 0, and so on. */
export async function rowsOfPersons(
  deps: ChangeDeps,
  query: EventQuery,
  question: ExperimentQuestion,
  ids: readonly string[],
): Promise<ExperimentRows> {
  const reading = planReading(question);
  const all = { slices: ['true'], partBits: 0 };
  const { exposed, rows } = await readApart(deps, query, reading, { kind: 'listed', ids }, all);
  return rows.rows(exposuresOf(exposed, reading, ALL_ACTORS).rows);
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
  { slices, partBits }: { slices: readonly string[]; partBits: number },
): Promise<ApartReader> {
  const events = eventsStatements(query, reading, persons, slices);
  const begin = ([exposed]: readonly ColumnTable[]): ApartReader => {
    if (exposed === undefined) throw new Error('There are no exposures to read.');
    const rows = new RowCollector(reading, partBits);
    return { exposed, rows, add: (table, place) => rows.add(table, events[place]?.hasNumbers ?? false) };
  };
  return changes.queryParts(exposuresStatements(query, reading, persons), events, begin, signal);
}

/** The exposures of a part of the actors, and their places in the table. */
interface PartExposures {
  rows: ExposureRows;
  places: Int32Array;
}

function exposuresOf(table: ColumnTable, { hasTies }: Reading, part: ActorPart): PartExposures {
  const uuids = hasTies ? table.uuids('uuid') : null;
  const places = placesOf(table.integers('actor'), part);
  const actor = chosen(table.integers('actor'), places);
  for (let row = 0; row < actor.length; row++) actor[row] = (actor[row] as number) >> part.bits;
  const rows = {
    actor,
    at: chosen(table.doubles('at'), places),
    code: chosen(table.integers('code'), places),
    distinctId: chosen(table.doubles('distinct_id'), places),
    tieOrder: uuids && ((a: number, b: number) => uuids.compare(places[a] as number, places[b] as number)),
  };
  return { rows, places };
}

function placesOf(actor: Int32Array, { bits, value }: ActorPart): Int32Array {
  const mask = (1 << bits) - 1;
  const places = new Int32Array(actor.length);
  let count = 0;
  for (let row = 0; row < actor.length; row++) if (((actor[row] as number) & mask) === value) places[count++] = row;
  return places.subarray(0, count);
}

function chosen<T extends Int32Array | Float64Array>(column: T, places: Int32Array): T {
  const own = new (column.constructor as new (length: number) => T)(places.length);
  for (let row = 0; row < places.length; row++) own[row] = column[places[row] as number] as number;
  return own;
}

/** By actor: the number of each is that of their exposures. */
function idsOf(table: ColumnTable, { rows: { actor }, places }: PartExposures): UuidColumn {
  const { words, ...halves } = table.uuids('id').words;
  const own = new BigUint64Array(2 * actor.reduce((most, who) => Math.max(most, who + 1), 0));
  // Words of 64 bits would be an object each.
  const [from, to] = [new Uint32Array(words.buffer, words.byteOffset), new Uint32Array(own.buffer)];
  for (let row = 0; row < actor.length; row++) {
    const [source, target] = [4 * (places[row] as number), 4 * (actor[row] as number)];
    for (let word = 0; word < 4; word++) to[target + word] = from[source + word] as number;
  }
  return new UuidHalves({ words: own, ...halves });
}
