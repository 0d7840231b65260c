/**
 * One statement per metric. It finds who was exposed, gives each of them a value (and one of the time before), and adds
 * these up by variant: sums are all that the statistics need.
 */
import type { Entity } from '../../../core/actions/entity.ts';
import type { Range } from '../../../core/time/range.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { includesEntity } from '../../insights/rules/read-entity.ts';
import type { ExposureQuestion, MeasuredEntity, MetricQuestion } from '../rules/experiment-question.ts';
import { countedSql } from './exposures-sql.ts';

/** Nothing that is measured is this large: it would make every sum meaningless. */
const MAX_VALUE = 1e100;

/** The events that the metric reads. */
function metricRange({ range }: ExposureQuestion, { windowMs, lookbackMs }: MetricQuestion): Range {
  return { from: range.from - (lookbackMs ?? 0), until: range.until + (windowMs ?? 0) };
}

/** Whether `m` happened after somebody was exposed at `x.since`, and within the window. */
function afterSql({ sql }: EventStatement, { windowMs }: MetricQuestion): string {
  const isWithin = windowMs === null ? 'true' : `m.happened < x.since + ${sql.integer(windowMs)}`;
  return `(m.happened >= x.since and ${isWithin})`;
}

/** Whether `m` happened shortly before. */
const earlierSql = ({ sql }: EventStatement, lookbackMs: number): string =>
  `(m.happened < x.since and m.happened >= x.since - ${sql.integer(lookbackMs)})`;

/** Those who count for this metric, as `x`. */
function exposedFor(statement: EventStatement, exposure: ExposureQuestion, { exposedBefore }: MetricQuestion): string {
  const { sql } = statement;
  const isOldEnough = exposedBefore === null ? 'true' : `c.since < ${sql.integer(exposedBefore)}`;
  return `(select * from (${countedSql(statement, exposure)}) c where ${isOldEnough}) x`;
}

/** Events of these entities: `actor`, `happened`, and the columns. */
function eventsSql(
  statement: EventStatement,
  exposure: ExposureQuestion,
  metric: MetricQuestion,
  entities: readonly Entity[],
  columns: readonly string[],
): string {
  const { sql } = statement;
  const isAny = entities.map((entity) => statement.isOf(entity)).join(' or ');
  return `select ${statement.actor(exposure.actor)} as actor, ${sql.ms('e.timestamp')} as happened, ${columns.join(', ')}
    ${statement.fromActors(exposure.actor, metricRange(exposure, metric))}
      and ${statement.matches(exposure.filter)} and (${isAny})`;
}

/** The number of an event; null where it is none of the entity, or holds no number. */
function numberSql(statement: EventStatement, { entity, measure }: MeasuredEntity): string {
  const isIt = statement.isOf(entity);
  if (measure.kind === 'count') return `case when ${isIt} then ${statement.sql.double(1)} end`;
  const number = statement.number(measure.property);
  return `case when ${isIt} and abs(${number}) < ${statement.sql.double(MAX_VALUE)} then ${number} end`;
}

/** Of all events of one entity, at the times of the condition. */
function valueSql({ measure }: MeasuredEntity, column: string, condition: string): string {
  const aggregate = measure.kind === 'count' ? 'sum' : measure.kind;
  return `coalesce(${aggregate}(case when ${condition} then ${column} end), 0)`;
}

/** Means and ratios: `variant`, `n`, and the sums that `sumsOf` names. */
export function measuredSql(
  statement: EventStatement,
  exposure: ExposureQuestion,
  metric: MetricQuestion,
  measured: readonly MeasuredEntity[],
): string {
  const { lookbackMs } = metric;
  const after = afterSql(statement, metric);
  const earlier = lookbackMs === null ? null : earlierSql(statement, lookbackMs);
  const numbers = measured.map((one, at) => `${numberSql(statement, one)} as number${at}`);
  const entities = measured.map(({ entity }) => entity);
  const events = eventsSql(statement, exposure, metric, entities, numbers);
  const values = measured.flatMap((one, at) => [
    `${valueSql(one, `m.number${at}`, after)} as value${at}`,
    ...(earlier === null ? [] : [`${valueSql(one, `m.number${at}`, earlier)} as past${at}`]),
  ]);
  return `select variant, ${sumColumns(statement, columnsOf(measured.length, metric))}
    from (
      select x.variant as variant, x.actor as actor, ${values.join(', ')}
      from ${exposedFor(statement, exposure, metric)}
      left join (${events}) m on m.actor = x.actor
      group by x.variant, x.actor
    ) v
    group by variant`;
}

/** The columns of one entity, of which there are sums, squares and products. */
const columnsOf = (values: number, { lookbackMs }: Pick<MetricQuestion, 'lookbackMs'>): string[] =>
  Array.from({ length: values }, (_, at) =>
    lookbackMs === null ? [`value${at}`] : [`value${at}`, `past${at}`],
  ).flat();

function sumColumns({ sql }: EventStatement, columns: readonly string[]): string {
  const double = (name: string): string => sql.toDouble(name);
  const sums = columns.map((name) => `sum(${double(name)}) as sum_${name}`);
  const products = columns.flatMap((one, at) =>
    columns.slice(at).map((other) => `sum(${double(one)} * ${double(other)}) as product_${one}_${other}`),
  );
  const nonZero = columns.map((name) => `sum(case when ${name} <> 0 then 1 else 0 end) as nonzero_${name}`);
  return ['count(*) as n', ...sums, ...products, ...nonZero].join(', ');
}

/**
 * A funnel: as `measuredSql`, with `value0` of 1 for those who did all steps, and `step0`, `step1`, … for how many did
 * each. Every step is looked for among the events after the one before, so there is one pass for each.
 */
export function funnelSql(
  statement: EventStatement,
  exposure: ExposureQuestion,
  metric: MetricQuestion & { kind: 'funnel' },
): string {
  const { sql } = statement;
  const { steps, lookbackMs } = metric;
  const [after, earlier] = [afterSql(statement, metric), earlierSql(statement, lookbackMs ?? 0)];
  const isStep = steps.map((step, at) => `case when ${statement.isOf(step)} then 1 else 0 end as is${at}`);
  const order = [...isStep, `${sql.idOrder('e.uuid')} as event_order`];
  // `place` numbers the events of an actor; `tick` is the place of the first one at the same time.
  const events = `select *, row_number() over (partition by n.actor order by n.happened, n.event_order) as place,
      rank() over (partition by n.actor order by n.happened) as tick
    from (${eventsSql(statement, exposure, metric, steps, order)}) n`;
  const columns = columnsOf(1, metric);
  const stepCounts = steps.map((_, at) => `sum(case when depth > ${sql.integer(at)} then 1 else 0 end) as step${at}`);
  const past = lookbackMs === null ? '' : `, past as past0`;
  const last = `is${steps.length - 1}`;
  const passes = steps.map((_, at) => passSql(steps, at, after));
  return `with m as (${events}),
    reached0 as (
      select x.actor as actor, x.variant as variant, x.since as since, 0 as depth, 0 as place, 0 as tick,
        coalesce(sum(case when ${earlier} and m.${last} = 1 then 1 else 0 end), 0) as past
      from ${exposedFor(statement, exposure, metric)} left join m on m.actor = x.actor
      group by x.actor, x.variant, x.since
    ),
    ${passes.map((pass, at) => `reached${at + 1} as (${pass})`).join(',\n    ')}
    select variant, ${[sumColumns(statement, columns), ...stepCounts].join(', ')}
    from (
      select variant, depth, case when depth = ${sql.integer(steps.length)} then 1 else 0 end as value0${past}
      from reached${steps.length}
    ) v
    group by variant`;
}

/** From those who did the steps before to those who did this one, too. An event is not the same step twice. */
function passSql(steps: readonly Entity[], at: number, after: string): string {
  const [step, before] = [steps[at], steps[at - 1]];
  const mustBeAnother = step !== undefined && before !== undefined && includesEntity(step, before);
  const follows = at === 0 ? 'true' : mustBeAnother ? 'm.place > x.place' : 'm.tick >= x.tick';
  const isNext = `m.is${at} = 1 and ${after} and ${follows}`;
  const found = `min(case when ${isNext} then m.place end)`;
  return `select x.actor as actor, x.variant as variant, x.since as since,
      case when ${found} is null then x.depth else x.depth + 1 end as depth,
      ${found} as place, min(case when ${isNext} then m.tick end) as tick, x.past as past
    from reached${at} x left join m on m.actor = x.actor
    group by x.actor, x.variant, x.since, x.depth, x.place, x.tick, x.past`;
}
