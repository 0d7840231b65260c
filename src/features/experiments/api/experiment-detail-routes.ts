/** More about one experiment than its results: the course over time, and the people. */
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { queryText, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { AnyObject, iso } from '../../../http/schemas/common.ts';
import { withQueryLimits } from '../../../query/query-limits.ts';
import { presentOneCohort } from '../../cohorts/api/present-cohorts.ts';
import { presentActors } from '../../insights/api/present-people.ts';
import { getExperiment, recordEarlyLook } from '../manage/experiments.ts';
import { saveExposureCohort } from '../manage/exposure-cohort.ts';
import { courseTimes } from '../rules/course-times.ts';
import type { ExperimentApiDeps } from './deps.ts';
import { type AskedExperiment, askExperiment, withResults } from './experiment-results.ts';
import { presentVariant } from './present-results.ts';

const ALL = '/api/projects/:project_id/experiments/';

export function experimentDetailRoutes(app: FastifyInstance, deps: ExperimentApiDeps): void {
  course(app, deps);
  people(app, deps);
  cohort(app, deps);
  earlyNumbers(app, deps);
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

/** Numbers before the plan allows a decision are shown only to who asks for them, and everybody can see who did. */
function earlyNumbers(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    url: `${ALL}:id/show_early_numbers/`,
    tag: 'experiments',
    scope: 'experiment',
    method: 'POST',
    summary: 'Record in the activity log that someone looked at numbers before the plan allows a decision',
    status: 204,
    handler: async ({ caller, project, params }) => {
      const experiment = await getExperiment(deps.metadata, project.id, idFromPath(params));
      await recordEarlyLook(deps, caller, project, experiment);
    },
  });
}

/** Cohorts of more would be too large to add at once. */
const MAX_COHORT_SIZE = 200_000;
const COHORT_PAGE = 10_000;

function cohort(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    url: `${ALL}:id/create_exposure_cohort_for_experiment/`,
    tag: 'experiments',
    scope: ['experiment', 'cohort'],
    method: 'POST',
    edits: ['experiments', 'cohorts'],
    summary: 'A static cohort of those who count now; made again, those who came since are added',
    status: 201,
    response: Type.Object({ cohort: AnyObject }),
    handler: async ({ caller, project, params, reply }) => {
      const experiment = await getExperiment(deps.metadata, project.id, idFromPath(params));
      const { exposure, startedAt } = await askExperiment(deps, project, experiment);
      if (exposure.actor.kind === 'group')
        throw invalid(undefined, 'This experiment is split by groups, and cohorts are of people.');
      const stopped = callerSignal(reply);
      async function* persons(): AsyncGenerator<string> {
        for (let offset = 0; offset < MAX_COHORT_SIZE && startedAt !== null; offset += COHORT_PAGE) {
          const page = { limit: COHORT_PAGE, offset };
          const found = await withQueryLimits(deps.config.queryTimeoutSeconds, stopped, (signal) =>
            deps.experiments.listExposed(project.id, exposure, null, page, signal),
          );
          for (const { actor } of found) yield actor;
          if (found.length < COHORT_PAGE) return;
        }
      }
      const made = await saveExposureCohort(deps, caller, project, experiment, persons());
      return { cohort: await presentOneCohort(deps, made) };
    },
  });
}
