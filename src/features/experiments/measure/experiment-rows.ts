/**
 * The exposures and the metric events of everybody who was exposed, as columns of numbers: one scan, however many
 * metrics there are.
 */
import type { Actor } from '../../../core/actor.ts';
import type { Range } from '../../../core/time/range.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import { actorColumn, type EventStatement } from '../../../query/event-statement.ts';
import { anyEventNameSql } from '../../../query/filters/action-step-sql.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { EventChanges, SqlStatement } from '../../../stores/events/event-changes.ts';
import type { ColumnTable, UuidColumn } from '../../../stores/events/event-store.ts';
import type { KeyEncoding } from '../../insights/shared/actor-keys.ts';
import { type ActorBatch, actorBatches, type TieOrder } from '../../insights/shared/actor-rows.ts';
import { countEventsIn } from '../../insights/shared/batch-sql.ts';
import { entityBitsSql } from '../../insights/shared/entity-bits.ts';
import {
  type ExperimentQuestion,
  type ExposureQuestion,
  type MetricQuestion,
  openWindowMs,
} from '../rules/experiment-question.ts';
import { exposedActorsSql, exposureCodeSql, exposureMatcher } from './exposures-sql.ts';
import { entityIdentity, type MetricPlan, type NumberSource, planMetrics } from './metric-plan.ts';

/** Nothing that is measured is this large: it would make every sum meaningless. */
export const MAX_VALUE = 1e100;
/** Stands for no number. */
const NO_NUMBER = 1e200;

export interface ExperimentRows {
  readonly actor: Int32Array;
  /** Time, and a bit for each entity that the event is. */
  readonly key: Float64Array;
  readonly encoding: KeyEncoding;
  /** Row → `exposureCode` of an exposure; 0 for other events. */
  readonly exposure: Int32Array;
  /** What is read, by `numberKey` → number of each row; at least `MAX_VALUE` where there is none that counts. */
  readonly numbers: ReadonlyMap<string, Float64Array>;
  /** The order of two rows at the same time; null where it does not matter. */
  readonly tieOrder: TieOrder;
  readonly plan: MetricPlan;
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
    const { sql, values } = rowsStatement(query, reading, { kind: 'exposed', batch });
    yield rowsOf(await deps.events.queryColumns(sql, values), reading);
  }
}

/** Rows, and who the actors are. */
interface IdentifiedRows {
  /** By the number of the actor. */
  ids: UuidColumn;
  rows: ExperimentRows;
}

/** The same of persons, with their ids. */
export async function* identifiedRows(
  { changes, signal }: Pick<ScanDeps, 'signal'> & { changes: EventChanges },
  query: EventQuery,
  question: ExperimentQuestion,
): AsyncGenerator<IdentifiedRows> {
  const reading = planReading(question);
  for await (const batch of actorBatches(await countEventsIn(query, reading.range))) {
    signal?.throwIfAborted();
    const exposed = rowsStatement(query, reading, { kind: 'exposed', batch });
    const [ids, table] = await changes.queryTogether([idsStatement(query, question.exposure, batch), exposed], signal);
    if (ids !== undefined && table !== undefined) yield { ids: ids.uuids('id'), rows: rowsOf(table, reading) };
  }
}

/** The rows of these persons, exposed or not: the first one is number 0, and so on. */
export async function rowsOfPersons(
  deps: ScanDeps,
  query: EventQuery,
  question: ExperimentQuestion,
  ids: readonly string[],
): Promise<ExperimentRows> {
  const reading = planReading(question);
  const { sql, values } = rowsStatement(query, reading, { kind: 'listed', ids });
  return rowsOf(await deps.events.queryColumns(sql, values), reading);
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

function idsStatement(query: EventQuery, exposure: ExposureQuestion, batch: ActorBatch): SqlStatement {
  const statement = query.begin();
  const exposed = exposedActorsSql(statement, exposure, batch);
  return { sql: `select x.actor as id from (${exposed}) x order by x.number`, values: statement.sql.values };
}

function rowsStatement(query: EventQuery, reading: Reading, actors: ReadActors): SqlStatement {
  const statement = query.begin(actors.kind === 'listed' ? actors.ids : null);
  const { sql } = statement;
  const { exposure, split, plan, range, encoding, hasTies } = reading;
  const { entities } = plan;
  const numbers = [...plan.numbers.values()];
  const columns = [
    'x.number as actor',
    `${sql.ms('e.timestamp')} as at`,
    `${entityBitsSql(statement, entities)} as bits`,
    `cast(${exposureCodeSql(statement, exposure, split)} as integer) as exposure`,
    ...numbers.map((source, at) => `${numberSql(statement, source)} as number${at}`),
    ...(hasTies ? ['e.uuid as uuid'] : []),
  ];
  const key = `(d.at - ${sql.integer(encoding.from)}) * ${sql.integer(encoding.base)} + d.bits`;
  const selected = [
    'd.actor as actor',
    `${sql.toDouble(`(${key})`)} as key`,
    'd.exposure as exposure',
    ...numbers.map((_, at) => `d.number${at} as number${at}`),
    ...(hasTies ? ['d.uuid as uuid'] : []),
  ];
  const join = `join (${actorsSql(statement, exposure, actors)}) x on x.actor = ${statement.actor(exposure.actor)}`;
  // Of a few persons nothing is left out: engines would ask it of everybody's events, before they look whose they are.
  const readsAll = plan.readsAll || actors.kind === 'listed';
  const text = `select ${selected.join(', ')}
    from (
      select ${columns.join(', ')} ${statement.fromActors(exposure.actor, range, join)}
        and ${readsAll ? 'true' : anyEventNameSql(sql, [exposureMatcher(exposure), ...entities])}
        and ${statement.matches(exposure.filter)}
    ) d
    where ${readsAll ? 'true' : 'd.bits <> 0 or d.exposure <> 0'}`;
  return { sql: text, values: sql.values };
}

function actorsSql(statement: EventStatement, exposure: ExposureQuestion, actors: ReadActors): string {
  if (actors.kind === 'exposed') return exposedActorsSql(statement, exposure, actors.batch);
  const rows = actors.ids.map((id, number) => ({ id, number: String(number) }));
  return `select cast(r.id as uuid) as actor, cast(r.number as integer) as number
    from ${statement.sql.rows(['id', 'number'], rows)} r`;
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

function rowsOf(table: ColumnTable, { plan, encoding, hasTies }: Reading): ExperimentRows {
  const uuids = hasTies ? table.uuids('uuid') : null;
  return {
    actor: table.integers('actor'),
    key: table.doubles('key'),
    encoding,
    exposure: table.integers('exposure'),
    numbers: new Map(Array.from(plan.numbers.keys(), (key, at) => [key, table.doubles(`number${at}`)])),
    tieOrder: uuids && ((a, b) => uuids.compare(a, b)),
    plan,
  };
}
