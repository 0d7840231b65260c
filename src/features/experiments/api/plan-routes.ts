/** How long an experiment takes, before there is one or for a draft, and whether what it reads happens at all. */
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { AnyObject, nullable } from '../../../http/schemas/common.ts';
import { withQueryLimits } from '../../../query/query-limits.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { FeatureFlag } from '../../../stores/metadata/flags.ts';
import { questionContext } from '../../insights/api/insight-request.ts';
import { getExperiment } from '../manage/experiments.ts';
import { entitiesOf } from '../measure/metric-plan.ts';
import { ArrivalCurve } from '../rules/arrival-curve.ts';
import { flagRollout, flagVariants } from '../rules/flag-variants.ts';
import { type ExperimentPlan, MDE_STEPS, planExperiment } from '../rules/plan-experiment.ts';
import { type ExperimentMetric, readMetrics } from '../rules/read-metrics.ts';
import { readBaselineEvent, readExposure, readPlanInput } from '../rules/read-settings.ts';
import { withSavedMetrics } from '../rules/saved-metrics.ts';
import type { ExperimentApiDeps } from './deps.ts';

const PlanBodySchema = Type.Partial(
  Type.Object({
    metric: AnyObject,
    event: Type.String({ description: 'Who would be part of it: everyone with this event. `$pageview` if absent.' }),
    variants: Type.Integer({ minimum: 2, maximum: 20 }),
    feature_flag_key: Type.String({ description: 'A flag that exists: its rollout is taken.' }),
    rollout_percentage: Type.Number({ minimum: 0, maximum: 100, description: 'Of all people; 100 if absent.' }),
    stats_config: AnyObject,
    plan: AnyObject,
    experiment_id: Type.Integer({ description: 'A draft: its metrics, statistics, plan and flag are taken.' }),
  }),
);

const PlanSchema = Type.Object({
  users: Type.Integer({ description: 'Who would have been part of it in the last 14 days.' }),
  users_per_day: Type.Number({ description: 'New ones a day in the last week, by the rollout.' }),
  baseline_mean: nullable(Type.Number()),
  planned_users: nullable(Type.Integer({ description: 'In all variants together.' })),
  days: nullable(Type.Integer({ description: 'Whole weeks; null: so many people never come.' })),
  detectable_effect: nullable(Type.Number({ description: 'The smallest change that the longest run can show.' })),
  sentence: Type.String(),
  curve: Type.Array(
    Type.Object({
      mde_relative: Type.Number(),
      planned_users: nullable(Type.Integer()),
      days: nullable(Type.Integer()),
      sentence: Type.String(),
    }),
    { description: 'The same for other changes, from small to large.' },
  ),
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      kind: Type.String({ description: '`flag` or `event`.' }),
      events: Type.Integer({ description: 'In the last 7 days.' }),
      is_seen: Type.Boolean(),
    }),
    { description: 'Of a draft: whether its flag was called and the events of its metrics exist.' },
  ),
});

const HISTORY_DAYS = 14;
const CHECKED_DAYS = 7;

export function planRoutes(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    url: '/api/projects/:project_id/experiments/plan/',
    tag: 'experiments',
    scope: 'experiment',
    method: 'POST',
    summary: 'How many people and days an experiment needs, from the last 14 days',
    body: PlanBodySchema,
    response: PlanSchema,
    handler: async ({ project, body, reply }) => {
      const draft = await draftOf(deps, project, body);
      return withQueryLimits(deps.config.queryTimeoutSeconds, callerSignal(reply), async (signal) => ({
        ...presentPlan(await planFor(deps, project, draft, signal)),
        checks: draft.flag === null ? [] : await checksFor(deps, project, draft, signal),
      }));
    },
  });
}

/** What is planned: as sent, or as a draft has it. */
interface PlannedDraft {
  settings: JsonObject;
  metrics: ExperimentMetric[];
  event: string;
  variants: number;
  /** The share of all people, 0 to 1. */
  rollout: number;
  /** Of the draft. */
  flag: FeatureFlag | null;
}

async function draftOf(
  deps: ExperimentApiDeps,
  project: Project,
  body: Static<typeof PlanBodySchema>,
): Promise<PlannedDraft> {
  const context = await questionContext(deps, project, {});
  const given = { plan: (body.plan ?? {}) as Json, stats_config: (body.stats_config ?? {}) as Json };
  if (body.experiment_id === undefined) {
    if (body.metric === undefined) throw invalid('metric', 'metric is an object with its metric_type.', 'required');
    const metrics = readMetrics({ metrics: [body.metric as Json] }, context);
    const key = body.feature_flag_key ?? '';
    const existing = key === '' ? null : await deps.metadata.flags.getByKey(project.id, key);
    return {
      settings: given,
      metrics,
      event: body.event ?? '$pageview',
      variants: body.variants ?? Math.max(2, existing === null ? 0 : flagVariants(existing.filters).length),
      rollout: rolloutOf(body.rollout_percentage, existing),
      flag: null,
    };
  }
  const experiment = await getExperiment(deps.metadata, project.id, body.experiment_id);
  const flag = await deps.metadata.flags.get(project.id, experiment.flagId);
  const saved = await deps.metadata.savedMetrics.listByProject(project.id);
  const settings = withSavedMetrics(experiment.settings, saved);
  return {
    settings: { ...settings, ...(body.plan === undefined ? {} : { plan: given.plan }) },
    metrics: readMetrics(settings, context),
    event: body.event ?? '$pageview',
    variants: Math.max(2, flag === null ? 0 : flagVariants(flag.filters).length),
    rollout: rolloutOf(body.rollout_percentage, flag),
    flag,
  };
}

const rolloutOf = (percentage: number | undefined, flag: FeatureFlag | null): number =>
  (percentage ?? (flag === null ? 100 : flagRollout(flag.filters))) / 100;

type Planned = ExperimentPlan & { curve: (ExperimentPlan & { mde: number })[] };

async function planFor(
  deps: ExperimentApiDeps,
  project: Project,
  { settings, metrics: [metric], event, variants, rollout }: PlannedDraft,
  signal: AbortSignal,
): Promise<Planned> {
  const now = deps.clock.now();
  const exposure = {
    ...readBaselineEvent(event, await questionContext(deps, project, {})),
    range: { from: now - HISTORY_DAYS * DAY_MS, until: now },
    timezone: project.timezone,
  };
  const questions =
    metric === undefined ? [] : [{ ...metric.asked, windowMs: metric.windowMs, lookbackMs: null, exposedBefore: null }];
  const measured = await deps.experiments.measureExperiment(project.id, exposure, questions, null, signal);
  const data = measured.metrics[0]?.[0]?.data;
  const history = {
    sums: data?.sums ?? null,
    isBinary: data?.isBinary ?? false,
    nonZero: data?.nonZero ?? 0,
    curve: new ArrivalCurve(exposure.range, measured.exposures.days),
  };
  const windowDays = (metric?.windowMs ?? 0) / DAY_MS;
  const input = { ...readPlanInput(settings), comparisons: variants - 1, rollout, windowDays };
  const planned = planExperiment(input, history);
  const steps = planned.mean === null ? [] : MDE_STEPS;
  return {
    ...planned,
    curve: steps.map((mde) => ({ mde, ...planExperiment({ ...input, mdeRelative: mde }, history) })),
  };
}

const presentPlan = (found: Planned) => ({
  users: found.users,
  users_per_day: found.usersPerDay,
  baseline_mean: found.mean,
  planned_users: found.plannedUsers,
  days: found.days,
  detectable_effect: found.detectable,
  sentence: found.sentence,
  curve: found.curve.map(({ mde, plannedUsers, days, sentence }) => ({
    mde_relative: mde,
    planned_users: plannedUsers,
    days,
    sentence,
  })),
});

/** Mostly a misspelt name, or code that is not released yet. */
async function checksFor(
  deps: ExperimentApiDeps,
  project: Project,
  { settings, metrics, flag }: PlannedDraft,
  signal: AbortSignal,
) {
  const now = deps.clock.now();
  const own = readExposure(settings, await questionContext(deps, project, {}));
  const exposure = {
    ...own,
    flagKey: flag?.key ?? '',
    variants: [],
    range: { from: now - CHECKED_DAYS * DAY_MS, until: now },
    actor: { kind: 'person' },
    timezone: project.timezone,
  } as const;
  const untimed = { windowMs: null, lookbackMs: null, exposedBefore: null };
  const entities = metrics.flatMap(({ asked }) => entitiesOf({ ...asked, ...untimed }));
  const named = new Map(entities.map((entity) => [entity.name, entity]));
  const counts = await deps.experiments.countRecentEvents(project.id, exposure, [...named.values()], signal);
  const check = (kind: 'flag' | 'event', name: string, events: number) => ({ name, kind, events, is_seen: events > 0 });
  return [
    check('flag', flag?.key ?? '', counts.exposures),
    ...Array.from(named.keys(), (name, at) => check('event', name, counts.entities[at] ?? 0)),
  ];
}
