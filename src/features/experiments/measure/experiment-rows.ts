/**
 * The exposures and the metric events of everybody who was exposed, as columns of numbers: one scan, however many
 * metrics there are.
 */
import type { Actor } from '../../../core/actor.ts';
import type { Range } from '../../../core/time/range.ts';
import { inBatches } from '../../../lib/in-batches.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import { actorColumn, type EventStatement } from '../../../query/event-statement.ts';
import { anyEventNameSql } from '../../../query/filters/action-step-sql.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { EventChanges, SqlStatement } from '../../../stores/events/event-changes.ts';
import type { ColumnTable, UuidColumn, UuidWords } from '../../../stores/events/event-store.ts';
import { joinUuids, UuidHalves } from '../../../stores/events/uuid-column.ts';
import type { KeyEncoding } from '../../insights/shared/actor-keys.ts';
import { type ActorBatch, actorBatches, ROW_BATCH_SIZE, type TieOrder } from '../../insights/shared/actor-rows.ts';
import { batchSql, countEventsIn } from '../../insights/shared/batch-sql.ts';
import { entityBitsSql } from '../../insights/shared/entity-bits.ts';
import {
  type ExperimentQuestion,
  type ExposureQuestion,
  type MetricQuestion,
  openWindowMs,
} from '../rules/experiment-question.ts';
import {
  codeSql,
  exposedActorsSql,
  exposureCodeSql,
  exposureMatcher,
  fromExposures,
  fromExposuresOf,
} from './exposures-sql.ts';
import { entityIdentity, type MetricPlan, type NumberSource, planMetrics } from './metric-plan.ts';
import { RowBlocks, type RowColumns } from './row-blocks.ts';

/** Nothing that is measured is this large: it would make every sum meaningless. */
export const MAX_VALUE = 1e100;
/** Stands for no number. */
const NO_NUMBER = 1e200;

export interface ExperimentRows {
  /** One more than the highest number of an actor. */
  readonly actors: number;
  readonly exposures: ExposureRows;
  readonly blocks: RowBlocks;
  /** The order of two rows at the same time, by their `rowId`; null where it does not matter. */
  readonly tieOrder: TieOrder;
  readonly encoding: KeyEncoding;
  readonly plan: MetricPlan;
}

export interface ExposureRows {
  readonly actor: Int32Array;
  /** ms UTC. */
  readonly at: Float64Array;
  /** The `exposureCode`. */
  readonly code: Int32Array;
  /** A number for each distinct id; null where they are not read. */
  readonly distinctId: Float64Array | null;
  /** The order of two of these rows at the same time; null where it does not matter. */
  readonly tieOrder: TieOrder;
}

/** Rows of some of the exposed at a time, so that the memory used is limited. */
export async function* experimentRows(
  deps: ScanDeps,
  query: EventQuery,
  question: ExperimentQuestion,
): AsyncGenerator<ExperimentRows> {
  const reading = planReading(question);
  for await (const batch of actorBatches(await countEventsIn(query, reading.range))) {
    deps.signal?.throwIfAborted();
    const { sql, values } = rowsStatement(query, reading, { kind: 'exposed', batch }, 'together');
    const table = await deps.events.queryColumns(sql, values);
    const reader = new RowReader(reading);
    await reader.addAll(table);
    yield reader.rows(exposuresIn(table, reading));
  }
}

/** Rows, and who the actors are. */
interface IdentifiedRows {
  /** By the number of the actor. */
  ids: UuidColumn;
  rows: ExperimentRows;
}

type ChangeDeps = Pick<ScanDeps, 'signal'> & { changes: EventChanges };

/** The same of persons, with their ids. Exposures are read apart: few events have to be asked whether they are one. */
export async function* identifiedRows(
  deps: ChangeDeps,
  query: EventQuery,
  question: ExperimentQuestion,
): AsyncGenerator<IdentifiedRows> {
  const reading = planReading(question);
  for await (const batch of actorBatches(await countEventsIn(query, reading.range))) {
    deps.signal?.throwIfAborted();
    const { exposed, rows } = await readApart(deps, query, reading, { kind: 'exposed', batch });
    yield { ids: idsByActor(exposed), rows };
  }
}

/** The rows of these persons, exposed or not: the first one is number 0, and so on. */
export async function rowsOfPersons(
  deps: ChangeDeps,
  query: EventQuery,
  question: ExperimentQuestion,
  ids: readonly string[],
): Promise<ExperimentRows> {
  return (await readApart(deps, query, planReading(question), { kind: 'listed', ids })).rows;
}

/** Exposures and other events by two statements that see the same data, and so number persons alike. */
async function readApart({ changes, signal }: ChangeDeps, query: EventQuery, reading: Reading, actors: ReadActors) {
  const exposures = exposuresStatement(query, reading, actors);
  const begin = ([exposed]: readonly ColumnTable[]): ApartReader => {
    if (exposed === undefined) throw new Error('There are no exposures to read.');
    return new ApartReader(reading, exposed);
  };
  // Without a metric there are no other events to read.
  const reader =
    reading.plan.entities.length === 0
      ? begin(await changes.queryTogether([exposures], signal))
      : await changes.queryParts([exposures, rowsStatement(query, reading, actors, 'apart')], begin, signal);
  return { exposed: reader.exposed, rows: reader.rows(exposuresOf(reader.exposed, reading)) };
}

/** Of everybody who is exposed: the number of each is that of their exposures. */
function idsByActor(exposed: ColumnTable): UuidColumn {
  const actor = exposed.integers('actor');
  const { words, ...halves } = exposed.uuids('id').words;
  const own = new BigUint64Array(2 * actor.reduce((most, who) => Math.max(most, who + 1), 0));
  for (let row = 0; row < actor.length; row++) {
    const who = actor[row] as number;
    own[2 * who] = words[2 * row] as bigint;
    own[2 * who + 1] = words[2 * row + 1] as bigint;
  }
  return new UuidHalves({ words: own, ...halves });
}

/** Whose rows are read. */
type ReadActors = { kind: 'exposed'; batch: ActorBatch } | { kind: 'listed'; ids: readonly string[] };

/** What is read of the events, whoever's they are. */
interface Reading extends Omit<ExperimentQuestion, 'metrics'> {
  plan: MetricPlan;
  range: Range;
  encoding: KeyEncoding;
  hasTies: boolean;
}

function planReading({ exposure, metrics, split }: ExperimentQuestion): Reading {
  const plan = planMetrics(metrics, exposure.activation ?? null);
  const range = rangeOf(exposure, metrics);
  const encoding = { base: 2 ** plan.entities.length, from: range.from };
  const hasTies = plan.needsTieOrder || exposure.severalVariants === 'first_seen' || split !== null;
  return { exposure, split, plan, range, encoding, hasTies };
}

/** The events that the metrics read. */
function rangeOf({ range }: ExposureQuestion, metrics: readonly MetricQuestion[]): Range {
  const before = Math.max(0, ...metrics.map(({ lookbackMs }) => lookbackMs ?? 0));
  const after = Math.max(0, ...metrics.map(openWindowMs));
  return { from: range.from - before, until: range.until + after };
}

/** Every exposure: `actor`, `at` in ms UTC, its `code`, a number for its `distinct_id`, and whose `id` it is. */
function exposuresStatement(query: EventQuery, reading: Reading, actors: ReadActors): SqlStatement {
  const statement = query.begin();
  const { sql } = statement;
  const { exposure, split, hasTies } = reading;
  const columns = [
    'p.person_id as id',
    `${sql.toDouble(sql.ms('e.timestamp'))} as at`,
    `cast(${codeSql(statement, exposure, split)} as integer) as code`,
    `${sql.toDouble(sql.hashSlot('e.distinct_id', UNIQUE_NUMBERS))} as distinct_id`,
    ...(hasTies ? ['e.uuid as uuid'] : []),
  ].join(', ');
  if (actors.kind === 'listed') {
    const text = `select p.number as actor, ${columns} ${fromExposuresOf(statement, exposure, listedSql(sql, actors.ids))}`;
    return { sql: text, values: sql.values };
  }
  const text = `select x.*, cast(dense_rank() over (order by x.id) - 1 as integer) as actor
    from (
      select ${columns} ${fromExposures(statement, exposure)} and p.person_id is not null
        and ${batchSql(sql, exposure.actor, actors.batch)}
    ) x`;
  return { sql: text, values: sql.values };
}

/** `exposures`: whether each row says what exposure it is, or these are read apart. */
function rowsStatement(
  query: EventQuery,
  reading: Reading,
  actors: ReadActors,
  exposures: 'together' | 'apart',
): SqlStatement {
  const statement = query.begin();
  const { sql } = statement;
  const { exposure, split, plan, encoding, hasTies } = reading;
  const { entities } = plan;
  const isTogether = exposures === 'together';
  const numbers = [...plan.numbers.values()];
  const isPerson = exposure.actor.kind === 'person';
  const columns = [
    `${isPerson ? 'p' : 'x'}.number as actor`,
    `${sql.ms('e.timestamp')} as at`,
    `${entityBitsSql(statement, entities)} as bits`,
    ...(isTogether ? [`cast(${exposureCodeSql(statement, exposure, split)} as integer) as exposure`] : []),
    ...numbers.map((source, at) => `${numberSql(statement, source)} as number${at}`),
    ...(hasTies ? ['e.uuid as uuid'] : []),
  ];
  const key = `(d.at - ${sql.integer(encoding.from)}) * ${sql.integer(encoding.base)} + d.bits`;
  const selected = [
    'd.actor as actor',
    `${sql.toDouble(`(${key})`)} as key`,
    ...(isTogether ? ['d.exposure as exposure'] : []),
    ...numbers.map((_, at) => `d.number${at} as number${at}`),
    ...(hasTies ? ['d.uuid as uuid'] : []),
  ];
  const matchers = [...(isTogether ? [exposureMatcher(exposure)] : []), ...entities];
  // Of a few persons nothing else is left out: engines would ask it of everybody's events, before they look whose they are.
  const readsAll = plan.readsAll || actors.kind === 'listed';
  const text = `select ${selected.join(', ')}
    from (
      select ${columns.join(', ')} ${fromActors(statement, reading, actors)}
        and ${plan.readsAll ? 'true' : anyEventNameSql(sql, matchers)}
        and ${statement.matches(exposure.filter)}
    ) d
    where ${readsAll ? 'true' : `d.bits <> 0${isTogether ? ' or d.exposure <> 0' : ''}`}`;
  return { sql: text, values: sql.values };
}

/** `from … where …`: the events of these actors in the range. */
function fromActors(statement: EventStatement, { exposure, range }: Reading, actors: ReadActors): string {
  const numbered =
    actors.kind === 'exposed'
      ? exposedActorsSql(statement, exposure, actors.batch)
      : listedSql(statement.sql, actors.ids);
  if (exposure.actor.kind === 'person') return statement.fromPersons(range, numbered);
  const join = `join (${numbered}) x on x.actor = ${statement.actor(exposure.actor)}`;
  return statement.fromActors(exposure.actor, range, join);
}

/** These persons in their order: `actor`, and its `number`. */
function listedSql(sql: SqlBuilder, ids: readonly string[]): string {
  const rows = ids.map((id, number) => ({ id, number: String(number) }));
  return `select cast(r.id as uuid) as actor, cast(r.number as integer) as number
    from ${sql.rows(['id', 'number'], rows)} r`;
}

/** The number of events of these entities. */
function numberSql(statement: EventStatement, { measure, entities }: NumberSource): string {
  const { sql } = statement;
  const different = new Map(entities.map((entity) => [entityIdentity(entity), entity]));
  const isAny = Array.from(different.values(), (entity) => statement.isOf(entity)).join(' or ');
  const number = measure.kind === 'unique' ? uniqueSql(statement, measure.of) : statement.number(measure.property);
  return `coalesce(case when ${isAny} then ${number} end, ${sql.double(NO_NUMBER)})`;
}

/** So many that two of the same actor hardly ever share one. */
const UNIQUE_NUMBERS = 2 ** 52;

/** A number for each session, person or group; null where there is none. */
function uniqueSql(statement: EventStatement, of: 'session' | Actor): string {
  const { sql } = statement;
  const id =
    of === 'session' ? statement.session() : of.kind === 'person' ? `cast(p.person_id as varchar)` : actorColumn(of);
  const text = `coalesce(${id}, '')`;
  return `case when ${text} <> '' then ${sql.toDouble(sql.hashSlot(text, UNIQUE_NUMBERS))} end`;
}

/** Puts rows into blocks as they are read. */
class RowReader {
  readonly #reading: Reading;
  readonly #blocks: RowBlocks;
  readonly #uuids: UuidWords[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#blocks = new RowBlocks(reading.plan, reading.encoding, reading.hasTies);
  }

  /** Some rows. */
  add(part: ColumnTable): void {
    this.#blocks.add(this.#columnsOf(part));
    if (this.#reading.hasTies) this.#uuids.push(copyOf(part.uuids('uuid').words));
  }

  /** All rows, with pauses. */
  async addAll(table: ColumnTable): Promise<void> {
    const columns = this.#columnsOf(table);
    await inBatches(table.rowCount, ROW_BATCH_SIZE, (from, to) => this.#blocks.add(columns, from, to));
    if (this.#reading.hasTies) this.#uuids.push(table.uuids('uuid').words);
  }

  #columnsOf(table: ColumnTable): RowColumns {
    const numbers = Array.from(this.#reading.plan.numbers, (_, at) => table.doubles(`number${at}`));
    return { actor: table.integers('actor'), key: table.doubles('key'), numbers };
  }

  rows(exposures: ExposureRows): ExperimentRows {
    const { plan, encoding } = this.#reading;
    const uuids = joinUuids(this.#uuids);
    return {
      actors: exposures.actor.reduce((most, who) => Math.max(most, who + 1), this.#blocks.actors),
      exposures,
      blocks: this.#blocks,
      tieOrder: uuids && ((a, b) => uuids.compare(a, b)),
      encoding,
      plan,
    };
  }
}

/** After the exposures. */
class ApartReader extends RowReader {
  readonly exposed: ColumnTable;

  constructor(reading: Reading, exposed: ColumnTable) {
    super(reading);
    this.exposed = exposed;
  }
}

const copyOf = ({ words, ...halves }: UuidWords): UuidWords => ({ words: words.slice(), ...halves });

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
