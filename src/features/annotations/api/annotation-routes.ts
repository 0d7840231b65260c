import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import { parseMoment } from '../../../core/time/parse-date.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, type Query, queryChoice, queryText, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { readTimeField } from '../../../http/read-time.ts';
import { iso, PAGE_QUERY } from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { type AnnotationChanges, createAnnotation, getAnnotation, updateAnnotation } from '../annotations.ts';
import { describeChange, MARKED_SCOPES } from '../rules/describe-change.ts';
import { ANNOTATION_SCOPES, type Annotation, type AnnotationQuery } from '../store/annotation-store.ts';
import {
  AnnotationChangeSchema,
  AnnotationCreateSchema,
  AnnotationPageSchema,
  AnnotationSchema,
  presentAnnotation,
} from './annotation-schemas.ts';
import type { AnnotationApiDeps } from './deps.ts';

const ALL = { url: '/api/projects/:project_id/annotations/', tag: 'annotations', scope: 'annotation' } as const;
const ONE = { ...ALL, url: `${ALL.url}:id/` } as const;
/** Enough for the marks of one chart. */
const MAX_CHANGES = 200;

export function annotationRoutes(app: FastifyInstance, deps: AnnotationApiDeps): void {
  listAndCreate(app, deps);
  oneAnnotation(app, deps);
}

async function presentAll(deps: AnnotationApiDeps, project: Project, annotations: readonly Annotation[]) {
  const { metadata } = deps;
  const users = await usersById(
    metadata,
    annotations.map(({ createdBy }) => createdBy),
  );
  const insights = await byId(annotations, 'insightId', (id) => metadata.insights.get(project.id, id));
  const dashboards = await byId(annotations, 'dashboardId', (id) => metadata.dashboards.get(project.id, id));
  return annotations.map((annotation) => presentAnnotation(annotation, { users, insights, dashboards }));
}

async function byId<T>(
  annotations: readonly Annotation[],
  field: 'insightId' | 'dashboardId',
  get: (id: number) => Promise<T | null>,
): Promise<ReadonlyMap<number, T>> {
  const found = new Map<number, T>();
  for (const id of new Set(annotations.map((annotation) => annotation[field]))) {
    const item = id === null ? null : await get(id);
    if (id !== null && item !== null) found.set(id, item);
  }
  return found;
}

const presentOne = async (deps: AnnotationApiDeps, project: Project, annotation: Annotation) =>
  (await presentAll(deps, project, [annotation]))[0];

function readQuery(query: Query, now: number): AnnotationQuery {
  const insightId = Number(queryText(query, 'dashboardItemId'));
  return {
    scope: queryChoice(query, 'scope', ANNOTATION_SCOPES),
    insightId: Number.isSafeInteger(insightId) && insightId > 0 ? insightId : undefined,
    after: readMoment(query, 'after', now),
    before: readMoment(query, 'before', now),
    search: queryText(query, 'search') || undefined,
  };
}

function readMoment(query: Query, name: 'after' | 'before', now: number): number | undefined {
  const text = queryText(query, name);
  if (!text) return undefined;
  const moment = parseMoment(text, now);
  if (moment === undefined) throw invalid(name, `${name} is a date such as 2026-01-31, or how long ago: 5d, 2h.`);
  return moment;
}

function readChanges(body: Static<typeof AnnotationChangeSchema>): AnnotationChanges {
  const { content, date_marker, scope, dashboard_item, dashboard_id, creation_type, deleted } = body;
  return {
    ...(content === undefined ? {} : { content }),
    ...(date_marker ? { dateMarker: readTimeField('date_marker', date_marker) } : {}),
    ...(scope === undefined ? {} : { scope }),
    ...(dashboard_item === undefined ? {} : { insightId: dashboard_item }),
    ...(dashboard_id === undefined ? {} : { dashboardId: dashboard_id }),
    ...(creation_type === undefined ? {} : { creationType: creation_type }),
    ...(deleted === undefined ? {} : { deleted }),
  };
}

function listAndCreate(app: FastifyInstance, deps: AnnotationApiDeps): void {
  projectRoute(app, deps, {
    ...ALL,
    method: 'GET',
    summary: 'Annotations, the latest date first',
    query: {
      ...PAGE_QUERY,
      scope: 'Only those with this scope.',
      dashboardItemId: 'Only those of this insight.',
      after: 'Only those of this date or later: ISO 8601, or how long ago: 30d.',
      before: 'Only those of this date or earlier.',
      search: 'Part of the text.',
      include:
        'Also `changes` of this time, separated by commas: `flags`, those of flags and experiments; `alerts`, when one began to fire.',
    },
    response: AnnotationPageSchema,
    handler: async ({ project, query, url }) => {
      const [page, wanted] = [readPage(query), readQuery(query, deps.clock.now())];
      const { count, items } = await deps.metadata.annotations.list(project, wanted, page);
      const presented = await presentAll(deps, project, items);
      const list = envelope(url, page, { count, items: presented }, (item) => item);
      const included = (queryText(query, 'include') ?? '').split(',');
      const changes = [
        ...(included.includes('flags') ? await listChanges(deps, project, wanted) : []),
        ...(included.includes('alerts') ? await listFirings(deps, project, wanted) : []),
      ];
      return included.includes('flags') || included.includes('alerts') ? { ...list, changes } : list;
    },
  });
  projectRoute(app, deps, {
    ...ALL,
    method: 'POST',
    edits: ['insights'],
    summary: 'Note on charts what happened when; without a date it is now',
    body: AnnotationCreateSchema,
    status: 201,
    response: AnnotationSchema,
    handler: async ({ caller, project, body }) => {
      const made = await createAnnotation(deps, caller, project, { ...readChanges(body), content: body.content });
      return presentOne(deps, project, made);
    },
  });
}

async function listChanges({ metadata }: AnnotationApiDeps, project: Project, { after, before }: AnnotationQuery) {
  const about = { organizationId: project.organizationId, projectId: project.id, scopes: MARKED_SCOPES, after, before };
  const { items } = await metadata.activity.list(about, { limit: MAX_CHANGES, offset: 0 });
  return items.flatMap((entry) => {
    const content = describeChange(entry);
    const { scope, itemId, createdAt } = entry;
    const marked = { date_marker: iso(createdAt), scope, item_id: itemId, dashboard_item: null };
    return content === null ? [] : [{ content, ...marked }];
  });
}

async function listFirings({ metadata }: AnnotationApiDeps, project: Project, { after, before }: AnnotationQuery) {
  const firings = await metadata.alerts.listFirings(project.id, { after, before }, MAX_CHANGES);
  return firings.map(({ alertId, name, insightId, slot }) => ({
    content: `Alert ${name} fired`,
    date_marker: iso(slot),
    scope: 'Alert',
    item_id: alertId,
    dashboard_item: insightId,
  }));
}

function oneAnnotation(app: FastifyInstance, deps: AnnotationApiDeps): void {
  projectRoute(app, deps, {
    ...ONE,
    method: 'GET',
    summary: 'One annotation',
    response: AnnotationSchema,
    handler: async ({ project, params }) =>
      presentOne(deps, project, await getAnnotation(deps.metadata, project, idFromPath(params))),
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'PATCH',
    edits: ['insights'],
    summary: 'Change an annotation; `deleted: true` deletes it',
    body: AnnotationChangeSchema,
    response: AnnotationSchema,
    handler: async ({ caller, project, params, body }) =>
      presentOne(deps, project, await updateAnnotation(deps, caller, project, idFromPath(params), readChanges(body))),
  });
  projectRoute(app, deps, {
    ...ONE,
    method: 'DELETE',
    hidden: true,
    summary: 'Annotations are deleted by changing them: deleted is true',
    handler: async ({ reply }) => reply.code(405).send(),
  });
}
