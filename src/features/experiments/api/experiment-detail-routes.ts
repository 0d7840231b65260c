/** More about one experiment than its results: the course over time, the people, a plan before it starts. */
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import type { Json } from '../../../core/json/json.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { queryText, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { AnyObject, iso, nullable } from '../../../http/schemas/common.ts';
import { withQueryLimits } from '../../../query/query-limits.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { questionContext } from '../../insights/api/insight-request.ts';
import { presentActors } from '../../insights/api/present-people.ts';
import { getExperiment } from '../manage/experiments.ts';
import { courseTimes } from '../rules/course-times.ts';
import { planExperiment } from '../rules/plan-experiment.ts';
import { readMetrics } from '../rules/read-metrics.ts';
import { readBaselineEvent, readPlanInput } from '../rules/read-settings.ts';
import type { ExperimentApiDeps } from './deps.ts';
import { type AskedExperiment, askExperiment, withResults } from './experiment-results.ts';
import { presentVariant } from './present-results.ts';

const ALL = '/api/projects/:project_id/experiments/';

export function experimentDetailRoutes(app: FastifyInstance, deps: ExperimentApiDeps): void {
  course(app, deps);
  people(app, deps);
  plan(app, deps);
}

const CourseSchema = Type.Object({
  metric_uuid: Type.String(),
  points: Type.Array(
    Type.Object({ date: Type.String(), users: Type.Integer(), variant_results: Type.Array(AnyObject) }),
  ),
});

function course(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    url: `${ALL}:id/timeseries_results/`,
    tag: 'experiments',
    scope: 'experiment',
    method: 'GET',
    summary: 'One metric as it was at the end of each day',
    query: { metric_uuid: 'The metric; the first one if absent.' },
    response: CourseSchema,
    handler: async ({ project, params, query, reply }) => {
      const experiment = await getExperiment(deps.metadata, project.id, idFromPath(params));
      const asked = await askExperiment(deps, project, experiment);
      const uuid = queryText(query, 'metric_uuid');
      const chosen = asked.metrics.find(({ metric }) => uuid === undefined || metric.uuid === uuid);
      if (chosen === undefined && uuid !== undefined)
        throw invalid('metric_uuid', 'This experiment has no metric with this uuid.');
      if (chosen === undefined || asked.startedAt === null) return { metric_uuid: uuid ?? '', points: [] };
      const times = courseTimes(asked.exposure.range, project.timezone);
      const found = await withQueryLimits(deps.config.queryTimeoutSeconds, callerSignal(reply), (signal) =>
        deps.experiments.measureExperimentCourse(project.id, asked.exposure, chosen.question, times, signal),
      );
      const points = times.map((at, index) => pointOf({ ...asked, metrics: [chosen] }, at, found[index] ?? []));
      return { metric_uuid: chosen.metric.uuid, points };
    },
  });
}

/** The statistics of a day; nothing is decided by them. */
function pointOf(asked: AskedExperiment, at: number, data: Parameters<typeof withResults>[1]['metrics'][number]) {
  const byVariant = Object.fromEntries(data.map(({ variant, data: { sums } }) => [variant, sums.n]));
  const exposures = {
    byVariant,
    multiple: { sameId: 0, mergedIds: 0 },
    withoutGroup: 0,
    days: [],
    phases: [],
    parts: {},
  };
  const { results, settings } = withResults(asked, { exposures, metrics: [data] });
  const shown = (results.metrics[0]?.variants ?? []).map((variant) => presentVariant(variant, settings));
  return { date: iso(at), users: results.users, variant_results: shown };
}

function people(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    url: `${ALL}:id/persons/`,
    tag: 'experiments',
    scope: ['experiment', 'person'],
    method: 'GET',
    summary: 'Who counts, latest first',
    query: { variant: 'The key of one variant; all if absent.', limit: 'At most 1000.', offset: 'How many to skip.' },
    response: Type.Object({ results: Type.Array(AnyObject), has_next: Type.Boolean() }),
    handler: async ({ project, params, query, reply }) => {
      const experiment = await getExperiment(deps.metadata, project.id, idFromPath(params));
      const { exposure, startedAt } = await askExperiment(deps, project, experiment);
      const variant = queryText(query, 'variant') ?? null;
      if (variant !== null && !exposure.variants.includes(variant))
        throw invalid('variant', `variant is one of ${exposure.variants.join(', ')}.`);
      if (startedAt === null) return { results: [], has_next: false };
      const page = readPage(query);
      const found = await withQueryLimits(deps.config.queryTimeoutSeconds, callerSignal(reply), (signal) =>
        deps.experiments.listExposed(project.id, exposure, variant, page, signal),
      );
      const shape = { order: 'found', person: 'listed', showsUnknownGroups: true } as const;
      const shown = await presentActors(deps.metadata, project.id, exposure.actor, found, shape);
      return { results: shown.map((one) => one.shown), has_next: found.length === page.limit };
    },
  });
}

const PlanBodySchema = Type.Object({
  metric: AnyObject,
  event: Type.Optional(
    Type.String({ description: 'Who would be part of it: everyone with this event. `$pageview` if absent.' }),
  ),
  variants: Type.Optional(Type.Integer({ minimum: 2, maximum: 20 })),
  stats_config: Type.Optional(AnyObject),
  plan: Type.Optional(AnyObject),
});

const PlanSchema = Type.Object({
  users: Type.Integer({ description: 'Who would have been part of it in the last 14 days.' }),
  users_per_day: Type.Number(),
  baseline_mean: nullable(Type.Number()),
  planned_users: nullable(Type.Integer({ description: 'In all variants together.' })),
  days: nullable(Type.Integer()),
  detectable_effect: nullable(Type.Number({ description: 'The smallest change that the longest run can show.' })),
  sentence: Type.String(),
});

const HISTORY_DAYS = 14;

function plan(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    url: `${ALL}plan/`,
    tag: 'experiments',
    scope: 'experiment',
    method: 'POST',
    summary: 'How many people and days an experiment needs, from the last 14 days',
    body: PlanBodySchema,
    response: PlanSchema,
    handler: async ({ project, body, reply }) => {
      const found = await planFor(deps, project, reply, body);
      return {
        users: found.users,
        users_per_day: found.usersPerDay,
        baseline_mean: found.mean,
        planned_users: found.plannedUsers,
        days: found.days,
        detectable_effect: found.detectable,
        sentence: found.sentence,
      };
    },
  });
}

async function planFor(
  deps: ExperimentApiDeps,
  project: Project,
  reply: FastifyReply,
  body: Static<typeof PlanBodySchema>,
) {
  const context = await questionContext(deps, project, {});
  const now = deps.clock.now();
  const [metric] = readMetrics({ metrics: [body.metric as Json] }, context);
  if (metric === undefined) throw invalid('metric', 'metric is an object with its metric_type.');
  const exposure = {
    ...readBaselineEvent(body.event ?? '$pageview', context),
    range: { from: now - HISTORY_DAYS * DAY_MS, until: now },
    timezone: project.timezone,
  };
  const question = { ...metric.asked, windowMs: metric.windowMs, lookbackMs: null, exposedBefore: null };
  const measured = await withQueryLimits(deps.config.queryTimeoutSeconds, callerSignal(reply), (signal) =>
    deps.experiments.measureExperiment(project.id, exposure, [question], null, signal),
  );
  const data = measured.metrics[0]?.[0]?.data;
  const input = readPlanInput({ plan: (body.plan ?? {}) as Json, stats_config: (body.stats_config ?? {}) as Json });
  return planExperiment(
    { ...input, comparisons: (body.variants ?? 2) - 1 },
    { sums: data?.sums ?? null, isBinary: data?.isBinary ?? false, nonZero: data?.nonZero ?? 0, days: HISTORY_DAYS },
  );
}
