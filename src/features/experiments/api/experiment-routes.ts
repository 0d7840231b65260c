import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../../access/callers.ts';
import { mayEdit } from '../../../access/resources.ts';
import { invalid } from '../../../core/errors.ts';
import { listActivity, usersById } from '../../../http/api/activity-list.ts';
import { callerSignal } from '../../../http/api/caller-signal.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { toCsv } from '../../../http/csv.ts';
import { readCsvCells, readFormat } from '../../../http/format.ts';
import { envelope, queryText, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { ACTIVITY_QUERY, ActivityPageSchema } from '../../../http/schemas/activity.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { questionContext } from '../../insights/api/insight-request.ts';
import {
  archiveExperiment,
  createExperiment,
  duplicateExperiment,
  EXPERIMENT_SCOPE,
  endExperiment,
  getExperiment,
  launchExperiment,
  pauseExperiment,
  resetExperiment,
  shipVariant,
} from '../manage/experiments.ts';
import { listExperiments } from '../manage/list-experiments.ts';
import { requireSavedMetrics } from '../manage/saved-metrics.ts';
import { updateExperiment } from '../manage/update-experiment.ts';
import { canBeMeasured } from '../rules/flag-variants.ts';
import { withSavedMetrics } from '../rules/saved-metrics.ts';
import type { Experiment } from '../store/experiment-store.ts';
import type { ExperimentApiDeps } from './deps.ts';
import { readDate, readExperimentBody, withInsights } from './experiment-body.ts';
import { askExperiment, breakDownExperiment, calculateAsked, calculateExperiment } from './experiment-results.ts';
import {
  DuplicateSchema,
  EndSchema,
  ExperimentChangeSchema,
  ExperimentCreateSchema,
  ExperimentSchema,
  presentExperiment,
  presentFlagOf,
  ShipSchema,
} from './experiment-schemas.ts';
import { presentWithFindings } from './keep-findings.ts';
import { requireKnownEvents } from './known-events.ts';
import { ExposuresSchema, presentBreakdown, presentExposures, ResultsSchema, resultLines } from './present-results.ts';

const ALL = { url: '/api/projects/:project_id/experiments/', tag: 'experiments', scope: 'experiment' } as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;
/** Starting, ending and shipping change the flag, too. */
const EDITS = {
  edits: ['experiments', 'feature flags'],
  scope: ['experiment', 'feature_flag'],
} as const;

export function experimentRoutes(app: FastifyInstance, deps: ExperimentApiDeps): void {
  listAndCreate(app, deps);
  oneExperiment(app, deps);
  life(app, deps);
  steps(app, deps);
  duplicate(app, deps);
  eligibleFlags(app, deps);
  implementation(app, deps);
  results(app, deps);
  activity(app, deps);
}

async function presentAll(
  deps: ExperimentApiDeps,
  caller: Caller,
  project: Project,
  experiments: readonly Experiment[],
) {
  const canEdit = await mayEdit(deps.metadata, caller, project.organizationId, 'experiments');
  const users = await usersById(
    deps.metadata,
    experiments.map(({ createdBy }) => createdBy),
  );
  const now = deps.clock.now();
  const holdouts = await deps.metadata.holdouts.listByProject(project.id);
  const savedMetrics = await deps.metadata.savedMetrics.listByProject(project.id);
  return Promise.all(
    experiments.map(async (experiment) =>
      presentExperiment(experiment, await deps.metadata.flags.get(project.id, experiment.flagId), {
        users,
        holdouts,
        savedMetrics,
        canEdit,
        now,
      }),
    ),
  );
}

const presentOne = async (deps: ExperimentApiDeps, caller: Caller, project: Project, experiment: Experiment) =>
  (await presentAll(deps, caller, project, [experiment]))[0];

function listAndCreate(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Experiments, newest first, without archived ones',
    query: {
      ...PAGE_QUERY,
      search: 'Part of the name or description.',
      status: '`draft`, `running`, `paused`, `stopped` (or `complete`), `all`.',
      archived: '`true`: archived ones instead.',
      feature_flag_id: 'Those of one flag.',
      created_by_id: 'Those of one user.',
      order:
        '`name`, `created_at`, `updated_at`, `start_date`, `end_date`, `duration` or `status`; with `-` descending. `-created_at` if absent.',
    },
    response: pageSchema(ExperimentSchema),
    handler: async ({ caller, project, query, url }) => {
      const page = readPage(query);
      const asked = {
        search: queryText(query, 'search'),
        status: queryText(query, 'status'),
        archived: queryText(query, 'archived'),
        flagId: queryText(query, 'feature_flag_id'),
        createdBy: queryText(query, 'created_by_id'),
        order: queryText(query, 'order'),
      };
      const found = await listExperiments(deps.metadata, project.id, asked, deps.clock.now());
      const items = await presentAll(deps, caller, project, found.slice(page.offset, page.offset + page.limit));
      return envelope(url, page, { count: found.length, items }, (item) => item);
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    ...EDITS,
    summary: 'Create an experiment with its flag, or on a flag that has variants; with `start_date` it is launched',
    body: ExperimentCreateSchema,
    status: 201,
    response: ExperimentSchema,
    handler: async ({ caller, project, body: sent }) => {
      const body = await withInsights(deps.metadata, project.id, sent);
      const [start, end] = [readDate(body.start_date, 'start_date'), readDate(body.end_date, 'end_date')];
      if (typeof end === 'number') throw invalid('end_date', 'An experiment that is new cannot have ended.');
      const changes = readExperimentBody(body, await questionContext(deps, project, {}), deps.ids);
      await requireKnownEvents(deps.metadata, project.id, body);
      await requireSavedMetrics(deps.metadata, project.id, changes.settings ?? {});
      const given = { ...changes, name: body.name, flagKey: body.feature_flag_key };
      const made = await createExperiment(deps, caller, project, given);
      if (typeof start !== 'number') return presentOne(deps, caller, project, made);
      const started = await updateExperiment(deps, caller, project, made.id, { changes: {}, start });
      return presentOne(deps, caller, project, started);
    },
  });
}

function oneExperiment(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One experiment',
    response: ExperimentSchema,
    handler: async ({ caller, project, params }) =>
      presentOne(deps, caller, project, await getExperiment(deps.metadata, project.id, idFromPath(params))),
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'PATCH',
    ...EDITS,
    summary: 'Change an experiment; `start_date` launches a draft, `end_date` ends it',
    body: ExperimentChangeSchema,
    response: ExperimentSchema,
    handler: async ({ caller, project, params, body: sent }) => {
      const body = await withInsights(deps.metadata, project.id, sent);
      const before = await getExperiment(deps.metadata, project.id, idFromPath(params));
      const [start, end] = [readDate(body.start_date, 'start_date'), readDate(body.end_date, 'end_date')];
      const flag = await deps.metadata.flags.get(project.id, before.flagId);
      if (body.feature_flag_key !== undefined && body.feature_flag_key !== flag?.key)
        throw invalid('feature_flag_key', 'The flag of an experiment cannot be changed: make another experiment.');
      const context = await questionContext(deps, project, {});
      const saved = await deps.metadata.savedMetrics.listByProject(project.id);
      const known = withSavedMetrics(before.settings, saved);
      const changes = readExperimentBody(body, context, deps.ids, known);
      await requireKnownEvents(deps.metadata, project.id, body, before.settings);
      await requireSavedMetrics(deps.metadata, project.id, changes.settings ?? {});
      const updatesFlag = body.update_feature_flag_params;
      const changed = await updateExperiment(deps, caller, project, before.id, { changes, start, end, updatesFlag });
      return presentOne(deps, caller, project, changed);
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'DELETE',
    hidden: true,
    summary: 'Experiments are deleted by changing them: deleted is true',
    handler: async ({ reply }) => reply.code(405).send(),
  });
}

function life(app: FastifyInstance, deps: ExperimentApiDeps): void {
  const step = { method: 'POST', ...EDITS, response: ExperimentSchema } as const;
  projectRoute(app, deps, {
    ...ONE,
    ...step,
    url: `${ONE.url}launch/`,
    summary: 'Launch a draft: its flag is turned on, and exposures count from now',
    handler: async ({ caller, project, params }) =>
      presentOne(deps, caller, project, await launchExperiment(deps, caller, project, idFromPath(params))),
  });
  projectRoute(app, deps, {
    ...ONE,
    ...step,
    url: `${ONE.url}end/`,
    summary: 'End an experiment; the flag stays as it is',
    body: EndSchema,
    handler: async ({ caller, project, params, body }) =>
      presentOne(deps, caller, project, await endExperiment(deps, caller, project, idFromPath(params), body)),
  });
  projectRoute(app, deps, {
    ...ONE,
    ...step,
    url: `${ONE.url}ship_variant/`,
    summary: 'Give everybody one variant; the release conditions from before stay below the new one',
    body: ShipSchema,
    handler: async ({ caller, project, params, body: { variant_key: variantKey, ...conclusion } }) => {
      const shipped = await shipVariant(deps, caller, project, idFromPath(params), { ...conclusion, variantKey });
      return presentOne(deps, caller, project, shipped);
    },
  });
}

/** Steps without a body. */
function steps(app: FastifyInstance, deps: ExperimentApiDeps): void {
  type Step = (caller: Caller, project: Project, id: number) => Promise<Experiment>;
  const all: [path: string, summary: string, step: Step][] = [
    ['pause', 'Turn the flag off', (...own) => pauseExperiment(deps, ...own, true)],
    ['resume', 'Turn the flag on again', (...own) => pauseExperiment(deps, ...own, false)],
    ['reset', 'Make it a draft again; flag and events stay as they are', (...own) => resetExperiment(deps, ...own)],
    ['archive', 'Archive an experiment that has ended', (...own) => archiveExperiment(deps, ...own, true)],
    ['unarchive', 'Take it out of the archive', (...own) => archiveExperiment(deps, ...own, false)],
  ];
  for (const [path, summary, step] of all) {
    projectRoute(app, deps, {
      ...ONE,
      method: 'POST',
      ...EDITS,
      response: ExperimentSchema,
      url: `${ONE.url}${path}/`,
      summary,
      handler: async ({ caller, project, params }) =>
        presentOne(deps, caller, project, await step(caller, project, idFromPath(params))),
    });
  }
}

function duplicate(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    method: 'POST',
    ...EDITS,
    url: `${ONE.url}duplicate/`,
    summary: 'The same again as a draft, on the same flag or, with `feature_flag_key`, on another',
    body: DuplicateSchema,
    status: 201,
    response: ExperimentSchema,
    handler: async ({ caller, project, params, body: { name, feature_flag_key: flagKey } }) => {
      const made = await duplicateExperiment(deps, caller, project, idFromPath(params), { name, flagKey });
      return presentOne(deps, caller, project, made);
    },
  });
}

function eligibleFlags(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    url: `${ALL.url}eligible_feature_flags/`,
    summary: 'Flags that an experiment can measure: with two or more variants, one of them control',
    query: { ...PAGE_QUERY, search: 'Part of the key or name.', active: '`true` or `false`.' },
    response: pageSchema(Type.Record(Type.String(), Type.Unknown())),
    handler: async ({ project, query, url }) => {
      const page = readPage(query);
      const search = queryText(query, 'search')?.toLowerCase() ?? '';
      const active = queryText(query, 'active');
      const found = (await deps.metadata.flags.listByProject(project.id)).filter(
        (flag) =>
          !flag.deleted &&
          canBeMeasured(flag.filters) &&
          (active === undefined || String(flag.active) === active) &&
          `${flag.key}\n${flag.name}`.toLowerCase().includes(search),
      );
      const items = found.slice(page.offset, page.offset + page.limit);
      return envelope(url, page, { count: found.length, items }, presentFlagOf);
    },
  });
}

/** PostHog's own front end asks whether to show how to call the flag. */
function implementation(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    url: `${ALL.url}requires_flag_implementation/`,
    summary: 'Whether this project has never called a feature flag in its code',
    response: Type.Object({ result: Type.Boolean() }),
    handler: async ({ project }) => {
      const seen = await deps.metadata.definitions.listEvents(project.id);
      return { result: !seen.some(({ name }) => name === '$feature_flag_called') };
    },
  });
}

function results(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    url: `${ONE.url}results/`,
    summary: 'The results: verdict, exposures, and every metric with its statistics',
    query: {
      format: '`csv`: a line for each metric and variant.',
      breakdown: 'A property of the exposure: the same for each of its 20 most frequent values.',
      refresh: '`true`: calculated anew, even if nothing has changed.',
    },
    response: ResultsSchema,
    handler: async ({ project, params, query, reply }) => {
      const experiment = await getExperiment(deps.metadata, project.id, idFromPath(params));
      const asked = await askExperiment(deps, project, experiment);
      const signal = callerSignal(reply);
      const property = queryText(query, 'breakdown') ?? '';
      const isRefresh = queryText(query, 'refresh') === 'true';
      const parts = property === '' ? null : await breakDownExperiment(deps, project, signal, asked, property);
      const found = {
        ...(await presentWithFindings(deps, await calculateAsked(deps, project, signal, asked, isRefresh))),
        ...(parts === null ? {} : { breakdown: presentBreakdown(property, parts) }),
      };
      if (readFormat(query) === 'json') return found;
      return reply.type('text/csv; charset=utf-8').send(toCsv(resultLines(found), readCsvCells(query)));
    },
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    url: `${ONE.url}exposures/`,
    summary: 'Who was exposed: by variant and day, and whether the split is as planned',
    response: ExposuresSchema,
    handler: async ({ project, params, reply }) => {
      const { settings, ...rest } = await getExperiment(deps.metadata, project.id, idFromPath(params));
      const none = { metrics: [], metrics_secondary: [], saved_metrics_ids: [], guardrails: [] };
      const withoutMetrics = { ...rest, settings: { ...settings, ...none } };
      return presentExposures(await calculateExperiment(deps, project, callerSignal(reply), withoutMetrics));
    },
  });
}

function activity(app: FastifyInstance, deps: ExperimentApiDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    url: `${ONE.url}activity/`,
    scope: 'activity_log',
    summary: 'Who changed this experiment, with before and after',
    query: ACTIVITY_QUERY,
    response: ActivityPageSchema,
    handler: async ({ project, params, query, url }) => {
      const { id } = await getExperiment(deps.metadata, project.id, idFromPath(params));
      const of = { organizationId: project.organizationId, projectId: project.id, scope: EXPERIMENT_SCOPE };
      return listActivity(deps, { ...of, itemId: String(id) }, query, url);
    },
  });
}
