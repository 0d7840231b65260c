import type { Entity } from '../../../core/actions/entity.ts';
import type { VariantData } from '../../../core/experiments/analyse.ts';
import type { ArmSums, RatioPast } from '../../../core/experiments/arm.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { SqlRow } from '../../../stores/events/event-store.ts';
import type { ExposureAnswer, ExposureQuestion, MetricData, MetricQuestion } from '../rules/experiment-question.ts';
import { countedSql, exposedSql, fromExposures } from './exposures-sql.ts';
import { funnelSql, measuredSql } from './metric-sql.ts';

const prepare = (
  deps: QueryDeps,
  projectId: number,
  exposure: ExposureQuestion,
  entities: readonly Entity[],
): Promise<EventQuery> =>
  prepareEventQuery(deps, projectId, {
    filters: [exposure.filter],
    entities: [...(exposure.event === null ? [] : [exposure.event]), ...entities],
    timezone: exposure.timezone,
    hasActors: true,
  });

/** Who was exposed to what, and when. */
export async function measureExposures(
  deps: QueryDeps,
  projectId: number,
  question: ExposureQuestion,
): Promise<ExposureAnswer> {
  const query = await prepare(deps, projectId, question, []);
  const days = await firstExposures(query, question);
  const byVariant = Object.fromEntries(question.variants.map((variant) => [variant, 0]));
  for (const { variant, count } of days) byVariant[variant] = (byVariant[variant] ?? 0) + count;
  return {
    byVariant,
    days,
    multiple: await severalVariants(query, question),
    withoutGroup: question.actor.kind === 'person' ? 0 : await withoutGroup(query, question),
  };
}

async function firstExposures(query: EventQuery, question: ExposureQuestion): Promise<ExposureAnswer['days']> {
  const statement = query.begin();
  const { sql } = statement;
  const rows = await statement.query(
    `select ${sql.ms(sql.bucket('x.day_time', 'day', question.timezone))} as day, x.variant as variant,
      count(*) as n
    from (${countedSql(statement, question)}) x group by 1, 2 order by 1, 2`,
  );
  return rows.map((row) => ({ day: Number(row['day']), variant: String(row['variant']), count: Number(row['n']) }));
}

async function severalVariants(query: EventQuery, question: ExposureQuestion): Promise<ExposureAnswer['multiple']> {
  const statement = query.begin();
  const [row] = await statement.query(
    `select coalesce(sum(x.same_id), 0) as same_id, count(*) as n
    from (${exposedSql(statement, question)}) x where x.variants > 1`,
  );
  const sameId = Number(row?.['same_id'] ?? 0);
  return { sameId, mergedIds: Number(row?.['n'] ?? 0) - sameId };
}

async function withoutGroup(query: EventQuery, question: ExposureQuestion): Promise<number> {
  const statement = query.begin();
  const [row] = await statement.query(
    `select count(*) as n ${fromExposures(statement, question)} and ${statement.actor(question.actor)} is null`,
  );
  return Number(row?.['n'] ?? 0);
}

/** What each variant did; a variant that nobody was exposed to is absent. */
export async function measureMetric(
  deps: QueryDeps,
  projectId: number,
  exposure: ExposureQuestion,
  metric: MetricQuestion,
): Promise<MetricData[]> {
  const query = await prepare(deps, projectId, exposure, entitiesOf(metric));
  const statement = query.begin();
  const rows = await statement.query(
    metric.kind === 'funnel'
      ? funnelSql(statement, exposure, metric)
      : measuredSql(statement, exposure, metric, measuredIn(metric)),
  );
  return rows
    .map((row) => ({
      variant: String(row['variant']),
      data: dataOf(row, metric),
      stepCounts: metric.kind === 'funnel' ? metric.steps.map((_, at) => Number(row[`step${at}`])) : null,
      withPast: metric.lookbackMs === null ? 0 : Number(row['nonzero_past0']),
    }))
    .sort((a, b) => (a.variant < b.variant ? -1 : 1));
}

const measuredIn = (metric: Exclude<MetricQuestion, { kind: 'funnel' }>) =>
  metric.kind === 'mean' ? [metric.measured] : [metric.numerator, metric.denominator];

const entitiesOf = (metric: MetricQuestion): readonly Entity[] =>
  metric.kind === 'funnel' ? metric.steps : measuredIn(metric).map(({ entity }) => entity);

function dataOf(row: SqlRow, { kind, lookbackMs }: MetricQuestion): VariantData {
  const nonZero = Number(row['nonzero_value0']);
  return { sums: sumsOf(row, kind, lookbackMs !== null), nonZero, isBinary: kind === 'funnel' };
}

function sumsOf(row: SqlRow, kind: MetricQuestion['kind'], hasPast: boolean): ArmSums {
  const number = (name: string): number => Number(row[name]);
  const n = number('n');
  // Conversions with a past are compared like any other mean.
  if (kind === 'funnel' && !hasPast) return { kind: 'proportion', n, conversions: number('sum_value0') };
  const own = { n, sum: number('sum_value0'), sumSquares: number('product_value0_value0') };
  if (kind !== 'ratio') return { kind: 'mean', ...own, past: hasPast ? meanPast(number) : undefined };
  return {
    kind: 'ratio',
    ...own,
    denominatorSum: number('sum_value1'),
    denominatorSumSquares: number('product_value1_value1'),
    product: number('product_value0_value1'),
    past: hasPast ? ratioPast(number) : undefined,
  };
}

type ReadNumber = (name: string) => number;

const meanPast = (number: ReadNumber) => ({
  sum: number('sum_past0'),
  sumSquares: number('product_past0_past0'),
  product: number('product_value0_past0'),
});

/** Columns are in the order value0, past0, value1, past1. */
const ratioPast = (number: ReadNumber): RatioPast => ({
  sum: number('sum_past0'),
  sumSquares: number('product_past0_past0'),
  denominatorSum: number('sum_past1'),
  denominatorSumSquares: number('product_past1_past1'),
  product: number('product_past0_past1'),
  numeratorPastNumerator: number('product_value0_past0'),
  numeratorPastDenominator: number('product_value0_past1'),
  denominatorPastNumerator: number('product_past0_value1'),
  denominatorPastDenominator: number('product_value1_past1'),
});
