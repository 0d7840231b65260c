import type { Entity } from '../../../core/actions/entity.ts';
import { eachInTurn } from '../../../lib/in-batches.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { QueryDeps, ScanDeps } from '../../../query/query-deps.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { FoundActor } from '../../insights/rules/answers.ts';
import {
  type ExperimentQuestion,
  type ExposureAnswer,
  type ExposureCount,
  type ExposureQuestion,
  type ExposureSplit,
  type MetricData,
  type MetricQuestion,
  openWindowMs,
} from '../rules/experiment-question.ts';
import { codesBefore } from './actor-exposures.ts';
import { ExposureTotals } from './exposure-totals.ts';
import { countedBySql, countedSql, exposedSql, fromExposures } from './exposures-sql.ts';
import { type MeasuredActors, measureActors } from './measured-actors.ts';
import { entitiesOf, splitMetrics } from './metric-plan.ts';
import { experimentRows } from './read-together.ts';
import { type CodedActors, groupByCode } from './sums-by-code.ts';
import { VariantSums } from './variant-sums.ts';

export const prepareExperimentQuery = (
  deps: QueryDeps,
  projectId: number,
  exposure: ExposureQuestion,
  entities: readonly Entity[],
): Promise<EventQuery> =>
  prepareEventQuery(deps, projectId, {
    filters: [exposure.filter],
    entities: [exposure.event, exposure.activation ?? null].flatMap((one) => one ?? []).concat(entities),
    timezone: exposure.timezone,
    hasActors: true,
  });

/** What was measured; metrics in the order of the questions. */
export interface ExperimentMeasurement {
  exposures: ExposureAnswer;
  /** What each variant did. A variant that nobody was exposed to is absent. */
  metrics: MetricData[][];
}

/** Who was exposed to what and when, and what they did then. */
export async function measureExperiment(
  deps: ScanDeps,
  projectId: number,
  exposure: ExposureQuestion,
  metrics: readonly MetricQuestion[],
  split: ExposureSplit | null = null,
): Promise<ExperimentMeasurement> {
  const query = await prepareExperimentQuery(deps, projectId, exposure, metrics.flatMap(entitiesOf));
  const { exposures, metrics: found } = await addUp({ exposure, metrics, split }, async function* (group) {
    for await (const rows of experimentRows(deps, query, { exposure, metrics: group, split }))
      yield await measureActors(rows, exposure, exposure.range.until);
  });
  return {
    exposures: {
      ...exposures,
      multiple: exposures.multiple.mergedIds === 0 ? NOBODY : await severalVariants(query, exposure),
      withoutGroup: exposure.actor.kind === 'person' ? 0 : await withoutGroup(query, exposure),
    },
    metrics: found,
  };
}

/** The metrics of each scan; there is always one, for the exposures. */
export function groupMetrics({ exposure, metrics }: Omit<ExperimentQuestion, 'split'>): MetricQuestion[][] {
  const groups = splitMetrics(metrics, exposure.activation ?? null);
  return groups.length > 0 ? groups : [[]];
}

/** What is measured in one scan, and its place among them. */
type ReadActors = (metrics: readonly MetricQuestion[], place: number) => AsyncIterable<MeasuredActors>;

/** Adds up what everybody did: `read` gives all actors, in any number of parts. */
export async function addUp(
  { exposure, metrics }: ExperimentQuestion,
  read: ReadActors,
): Promise<ExperimentMeasurement> {
  const found = new Map<MetricQuestion, MetricData[]>();
  const counted = new ExposureTotals(exposure);
  for (const [place, group] of groupMetrics({ exposure, metrics }).entries()) {
    const totals = group.map((metric) => new VariantSums(metric));
    for await (const actors of read(group, place)) {
      await addTo(totals, actors);
      if (place === 0) counted.add(actors.exposures);
    }
    group.forEach((metric, at) => {
      found.set(metric, totals[at]?.data(exposure.variants) ?? []);
    });
  }
  return {
    exposures: { ...counted.counts(), multiple: counted.multiple, withoutGroup: 0 },
    metrics: metrics.map((metric) => found.get(metric) ?? []),
  };
}

const NOBODY = { sameId: 0, mergedIds: 0 };

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

/** Those who count, by properties of their first exposure; of each the values with the most. */
export async function countExposuresBy(
  deps: QueryDeps,
  projectId: number,
  question: ExposureQuestion,
  properties: readonly string[],
): Promise<ExposureCount[]> {
  const query = await prepareExperimentQuery(deps, projectId, question, []);
  const found: ExposureCount[] = [];
  for (const property of properties) {
    const statement = query.begin();
    const rows = await statement.query(
      `select x.value as value, x.variant as variant, count(*) as n
      from (${countedBySql(statement, question, property)}) x
      group by 1, 2 order by n desc, 1, 2 limit ${statement.sql.integer(MAX_VALUES)}`,
    );
    for (const { value, variant, n } of rows)
      found.push({ property, value: String(value), variant: String(variant), count: Number(n) });
  }
  return found;
}

/** Of a property, for all variants together. */
const MAX_VALUES = 500;

/** Those who count, in one variant or in all (null), latest first. */
export async function listExposed(
  deps: QueryDeps,
  projectId: number,
  question: ExposureQuestion,
  variant: string | null,
  { limit, offset }: Page,
): Promise<FoundActor[]> {
  const query = await prepareExperimentQuery(deps, projectId, question, []);
  const statement = query.begin();
  const { sql } = statement;
  const rows = await statement.query(
    `select x.actor as actor from (${countedSql(statement, question)}) x
    where ${variant === null ? 'true' : `x.variant = ${sql.param(variant)}`}
    order by x.since desc, 1 limit ${sql.integer(limit)} offset ${sql.integer(offset)}`,
  );
  return rows.map((row) => ({ actor: String(row['actor']), value: null }));
}

/** One metric as it was at each of these times. */
export async function measureCourse(
  deps: ScanDeps,
  projectId: number,
  exposure: ExposureQuestion,
  metric: MetricQuestion,
  times: readonly number[],
): Promise<MetricData[][]> {
  const totals = times.map((at) => new VariantSums(asOf(metric, at)));
  const query = await prepareExperimentQuery(deps, projectId, exposure, entitiesOf(metric));
  for await (const rows of experimentRows(deps, query, { exposure, metrics: [metric], split: null }))
    for (const [at, until] of times.entries())
      await addTo(totals.slice(at, at + 1), await measureActors(rows, exposure, until));
  return totals.map((own) => own.data(exposure.variants));
}

/** Only those whose window had ended then. */
const asOf = (metric: MetricQuestion, at: number): MetricQuestion => ({
  ...metric,
  exposedBefore: metric.exposedBefore === null ? null : Math.min(metric.exposedBefore, at - openWindowMs(metric) + 1),
});

async function addTo(totals: readonly VariantSums[], { exposures, values }: MeasuredActors): Promise<void> {
  // Most metrics count the same persons.
  const known = new Map<number | null, CodedActors>();
  await eachInTurn([...totals.entries()], ([at, total]) => {
    const own = values[at];
    if (own === undefined) return;
    const { exposedBefore } = total;
    const codes = known.get(exposedBefore) ?? groupByCode(codesBefore(exposures, exposedBefore));
    known.set(exposedBefore, codes);
    total.add(codes, own);
  });
}
