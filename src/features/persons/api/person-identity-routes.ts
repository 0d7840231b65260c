import type { FastifyInstance } from 'fastify';
import { invalid, notFound } from '../../../core/errors.ts';
import { isUuid } from '../../../core/events/uuid.ts';
import { projectRoute } from '../../../http/api/route.ts';
import { envelope, type Query, queryText, readPage, withQuery } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { deletePerson } from '../delete/delete-person.ts';
import { splitPerson } from '../identity/split-person.ts';
import { listMerges, undoMerge } from '../identity/undo-merge.ts';
import type { PersonApiDeps } from './deps.ts';
import {
  DeletionSchema,
  MergeSchema,
  presentDeletion,
  presentMerge,
  presentSplit,
  presentUndoneMerge,
  SplitBody,
  UndoneMergeSchema,
} from './person-identity-schemas.ts';
import { readPersonRef } from './person-query.ts';
import { ChangedPersonSchema } from './person-schemas.ts';

const tag = 'persons';
const legacy = 'person';
const PERSONS = '/api/projects/:project_id/persons';
/** These cannot all be undone, and they change whom flags reach. */
const IDENTITY_EDITS = ['data management', 'feature flags'] as const;

export function personIdentityRoutes(app: FastifyInstance, deps: PersonApiDeps): void {
  projectRoute(app, deps, {
    method: 'POST',
    url: `${PERSONS}/:id/split/`,
    legacy,
    edits: IDENTITY_EDITS,
    summary: 'Split a person: every other distinct id gets its own person',
    tag,
    scope: 'person',
    body: SplitBody,
    query: { main_distinct_id: 'The id that keeps the person and its properties; in the body or here.' },
    status: 201,
    response: ChangedPersonSchema,
    handler: async ({ project, caller, params, body, query }) => {
      const main = body.main_distinct_id ?? queryText(query, 'main_distinct_id') ?? '';
      return presentSplit(
        await splitPerson(deps, {
          project,
          userId: caller.user.id,
          ref: readPersonRef(params['id']),
          mainDistinctId: main === '' ? null : main,
        }),
      );
    },
  });
  mergeRoutes(app, deps);
  deletionRoutes(app, deps);
}

function mergeRoutes(app: FastifyInstance, deps: PersonApiDeps): void {
  projectRoute(app, deps, {
    method: 'GET',
    url: `${PERSONS}/:id/merges/`,
    legacy,
    summary: 'Merges into this person, newest first',
    tag,
    scope: 'person',
    query: PAGE_QUERY,
    response: pageSchema(MergeSchema),
    handler: async ({ project, params, query, url }) => {
      const page = readPage(query);
      const found = await listMerges(deps.metadata, project.id, readPersonRef(params['id']), page);
      return envelope(url, page, found, presentMerge);
    },
  });
  projectRoute(app, deps, {
    method: 'POST',
    url: `${PERSONS}/merges/:id/undo/`,
    legacy,
    edits: IDENTITY_EDITS,
    summary: 'Undo a merge',
    tag,
    scope: 'person',
    status: 201,
    response: UndoneMergeSchema,
    handler: async ({ project, caller, params }) => {
      const mergeId = idFromPath(params);
      return presentUndoneMerge(await undoMerge(deps, { project, userId: caller.user.id, mergeId }));
    },
  });
}

function deletionRoutes(app: FastifyInstance, deps: PersonApiDeps): void {
  const { deletions } = deps.metadata;
  projectRoute(app, deps, {
    method: 'DELETE',
    url: `${PERSONS}/:id/`,
    legacy,
    edits: IDENTITY_EDITS,
    summary: 'Delete a person, with or without their events',
    tag,
    scope: 'person',
    query: {
      delete_events: 'True: also remove the events, from every file. The `Location` header links to the progress.',
      delete_names:
        'True, with `delete_events`: also delete groups whose key is an id or the email address of the person, and ' +
        'definitions of events and properties whose name contains one. Texts shorter than 6 characters do not count.',
    },
    status: 204,
    handler: async ({ project, caller, params, query, url, reply }) => {
      const deletion = await deletePerson(deps, {
        project,
        userId: caller.user.id,
        ref: readPersonRef(params['id']),
        ...readDeletionQuery(query),
      });
      if (deletion === null) return;
      const path = `/api/projects/${project.id}/persons/deletions/${deletion}/`;
      reply.header('location', withQuery(new URL(path, url), {}));
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: `${PERSONS}/deletions/`,
    legacy,
    summary: 'Deletions of persons with their events, newest first',
    tag,
    scope: 'person',
    query: PAGE_QUERY,
    response: pageSchema(DeletionSchema),
    handler: async ({ project, query, url }) => {
      const page = readPage(query);
      return envelope(url, page, await deletions.list(project.id, page), presentDeletion);
    },
  });
  projectRoute(app, deps, {
    method: 'GET',
    url: `${PERSONS}/deletions/:id/`,
    legacy,
    summary: 'Progress of a deletion, and what was removed',
    tag,
    scope: 'person',
    response: DeletionSchema,
    handler: async ({ project, params }) => {
      const id = (params['id'] ?? '').toLowerCase();
      const deletion = isUuid(id) ? await deletions.get(project.id, id) : null;
      if (!deletion) throw notFound();
      return presentDeletion(deletion);
    },
  });
}

/** Without a value it means true, as in early clients. */
const SWITCH: ReadonlyMap<string, boolean> = new Map([
  ['', true],
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function readDeletionQuery(query: Query): { deleteEvents: boolean; deleteNames: boolean } {
  const deleteEvents = readSwitch(query, 'delete_events');
  const deleteNames = readSwitch(query, 'delete_names');
  if (deleteNames && !deleteEvents) throw invalid('delete_names', 'Only possible together with delete_events=true.');
  return { deleteEvents, deleteNames };
}

function readSwitch(query: Query, name: string): boolean {
  const text = queryText(query, name);
  if (text === undefined) return false;
  const value = SWITCH.get(text.toLowerCase());
  if (value === undefined) throw invalid(name, 'Must be true or false.');
  return value;
}
