import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, queryText, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { readTimeField } from '../../../http/read-time.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import {
  type ChangeInput,
  createScheduledChange,
  deleteScheduledChange,
  getScheduledChange,
  updateScheduledChange,
} from '../scheduled-changes.ts';
import type { ScheduledChange } from '../store/scheduled-change-store.ts';
import type { ScheduledChangeApiDeps } from './deps.ts';
import {
  MODEL,
  presentScheduledChange,
  ScheduledChangeChangeSchema,
  ScheduledChangeCreateSchema,
  ScheduledChangeSchema,
} from './scheduled-change-schemas.ts';

const ALL = {
  url: '/api/projects/:project_id/scheduled_changes/',
  tag: 'scheduled changes',
  scope: 'feature_flag',
} as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;
const EDITS = { edits: ['feature flags'] } as const;

export function scheduledChangeRoutes(app: FastifyInstance, deps: ScheduledChangeApiDeps): void {
  listAndCreate(app, deps);
  oneChange(app, deps);
}

async function present({ metadata }: ScheduledChangeApiDeps, changes: readonly ScheduledChange[]) {
  const users = await usersById(
    metadata,
    changes.map(({ createdBy }) => createdBy),
  );
  return changes.map((change) => presentScheduledChange(change, users));
}

const presentOne = async (deps: ScheduledChangeApiDeps, change: ScheduledChange) => (await present(deps, [change]))[0];

function readInput(body: Static<typeof ScheduledChangeChangeSchema>): ChangeInput {
  const { payload, scheduled_at, is_recurring, recurrence_interval, cron_expression, end_date } = body;
  return {
    ...(payload === undefined ? {} : { payload: payload as JsonObject }),
    ...(scheduled_at === undefined ? {} : { scheduledAt: readTimeField('scheduled_at', scheduled_at) }),
    ...(is_recurring === undefined ? {} : { isRecurring: is_recurring }),
    ...(recurrence_interval === undefined ? {} : { recurrence: recurrence_interval }),
    ...(cron_expression === undefined ? {} : { cron: cron_expression || null }),
    ...(end_date === undefined ? {} : { endDate: end_date === null ? null : readTimeField('end_date', end_date) }),
  };
}

function readFlagId(given: unknown): number {
  const id = typeof given === 'string' || typeof given === 'number' ? Number(given) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw invalid('record_id', 'record_id is the id of a flag.');
  return id;
}

function listAndCreate(app: FastifyInstance, deps: ScheduledChangeApiDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Scheduled changes, the soonest first, also those that were made',
    query: { ...PAGE_QUERY, model_name: '`FeatureFlag`.', record_id: 'Only those of this flag.' },
    response: pageSchema(ScheduledChangeSchema),
    handler: async ({ project, query, url }) => {
      const [page, record] = [readPage(query), queryText(query, 'record_id')];
      const model = queryText(query, 'model_name') ?? MODEL;
      const flagId = record ? readFlagId(record) : undefined;
      const found = model === MODEL ? await deps.metadata.scheduledChanges.listByProject(project.id, flagId) : [];
      const items = await present(deps, found.slice(page.offset, page.offset + page.limit));
      return envelope(url, page, { count: found.length, items }, (item) => item);
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    ...EDITS,
    method: 'POST',
    summary: 'Schedule a change of a flag, once or recurring',
    body: ScheduledChangeCreateSchema,
    status: 201,
    response: ScheduledChangeSchema,
    handler: async ({ caller, project, body }) => {
      if (body.model_name !== MODEL)
        throw invalid('model_name', `Only a ${MODEL} can be changed at a time.`, 'invalid_choice');
      const input = { ...readInput(body), payload: body.payload as JsonObject };
      const flagId = readFlagId(body.record_id);
      return presentOne(deps, await createScheduledChange(deps, caller, project, flagId, input));
    },
  });
}

function oneChange(app: FastifyInstance, deps: ScheduledChangeApiDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One scheduled change',
    response: ScheduledChangeSchema,
    handler: async ({ project, params }) =>
      presentOne(deps, await getScheduledChange(deps.metadata, project.id, idFromPath(params))),
  });
  projectRoute(app, deps, {
    ...ONE,
    ...EDITS,
    method: 'PATCH',
    summary: 'Change what is still to be made; `is_recurring: false` pauses a recurring change',
    body: ScheduledChangeChangeSchema,
    response: ScheduledChangeSchema,
    handler: async ({ caller, project, params, body }) =>
      presentOne(deps, await updateScheduledChange(deps, caller, project, idFromPath(params), readInput(body))),
  });
  projectRoute(app, deps, {
    ...ONE,
    ...EDITS,
    method: 'DELETE',
    summary: 'Cancel a scheduled change',
    status: 204,
    handler: ({ caller, project, params }) => deleteScheduledChange(deps, caller, project, idFromPath(params)),
  });
}
