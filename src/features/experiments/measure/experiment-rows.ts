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
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import type { KeyEncoding } from '../../insights/shared/actor-keys.ts';
import { type ActorBatch, actorBatches, type TieOrder } from '../../insights/shared/actor-rows.ts';
import { batchSql, countEventsIn } from '../../insights/shared/batch-sql.ts';
import { entityBitsSql } from '../../insights/shared/entity-bits.ts';
import {
  type ExposureQuestion,
  type ExposureSplit,
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

/** Rows of some of the actors at a time, so that the memory used is limited. */
export async function* experimentRows(
  deps: ScanDeps,
  query: EventQuery,
  exposure: ExposureQuestion,
  metrics: readonly MetricQuestion[],
  split: ExposureSplit | null,
): AsyncGenerator<ExperimentRows> {
  const plan = planMetrics(metrics, exposure.activation ?? null);
  const range = rangeOf(exposure, metrics);
  const encoding = { base: 2 ** plan.entities.length, from: range.from };
  const hasTies = plan.needsTieOrder || exposure.severalVariants === 'first_seen' || split !== null;
  for await (const batch of actorBatches(await countEventsIn(query, range))) {
    deps.signal?.throwIfAborted();
    const statement = query.begin();
    const text = rowsSql(statement, { exposure, split, range, encoding, hasTies, batch }, plan);
    const table = await deps.events.queryColumns(text, statement.sql.values);
    yield rowsOf(table, plan, encoding, hasTies);
  }
}

/** The events that the metrics read. */
function rangeOf({ range }: ExposureQuestion, metrics: readonly MetricQuestion[]): Range {
  const before = Math.max(0, ...metrics.map(({ lookbackMs }) => lookbackMs ?? 0));
  const after = Math.max(0, ...metrics.map(openWindowMs));
  return { from: range.from - before, until: range.until + after };
}

interface RowsOptions {
  exposure: ExposureQuestion;
  split: ExposureSplit | null;
  range: Range;
  encoding: KeyEncoding;
  hasTies: boolean;
  batch: ActorBatch;
}

function rowsSql(statement: EventStatement, options: RowsOptions, plan: MetricPlan): string {
  const { sql } = statement;
  const { entities } = plan;
  const numbers = [...plan.numbers.values()];
  const { exposure, split, range, encoding, hasTies, batch } = options;
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
  const join = `join (${exposedActorsSql(statement, exposure)}) x on x.actor = ${statement.actor(exposure.actor)}`;
  return `select ${selected.join(', ')}
    from (
      select ${columns.join(', ')} ${statement.fromActors(exposure.actor, range, join)}
        and ${plan.readsAll ? 'true' : anyEventNameSql(sql, [exposureMatcher(exposure), ...entities])}
        and ${statement.matches(exposure.filter)} and ${batchSql(sql, exposure.actor, batch)}
    ) d
    where ${plan.readsAll ? 'true' : 'd.bits <> 0 or d.exposure <> 0'}`;
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

function rowsOf(table: ColumnTable, plan: MetricPlan, encoding: KeyEncoding, hasTies: boolean): ExperimentRows {
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
