import type { Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { listActivity } from '../../../http/api/activity-list.ts';
import { projectRoute, type RouteContext } from '../../../http/api/route.ts';
import { envelope, pageByName, queryText, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import { ACTIVITY_QUERY, ActivityPageSchema } from '../../../http/schemas/activity.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { COHORT, createCohort, getCohort, updateCohort } from '../cohorts.ts';
import { findNamedPersons } from '../find-named-persons.ts';
import { namedPersons, namesPersons, readCohortChanges } from './cohort-body.ts';
import { CohortSchema, CohortWriteSchema } from './cohort-schemas.ts';
import type { CohortApiDeps } from './deps.ts';
import { ALL_COHORTS, ONE_COHORT, ofCohort, presentCohorts, presentOneCohort } from './present-cohorts.ts';

export function cohortRoutes(app: FastifyInstance, deps: CohortApiDeps): void {
  listAndCreate(app, deps);
  oneCohort(app, deps);
  cohortActivity(app, deps);
}

type WriteContext = RouteContext<Static<typeof CohortWriteSchema>> & { project: Project };

/** Persons are looked up before the transaction, so that a long list blocks nothing. */
async function personsIn({ metadata }: CohortApiDeps, { project, body }: WriteContext): Promise<number[] | null> {
  return namesPersons(body) ? findNamedPersons(metadata.cohortMembers, project.id, namedPersons(body)) : null;
}

function listAndCreate(app: FastifyInstance, deps: CohortApiDeps): void {
  projectRoute(app, deps, {
    ...ALL_COHORTS,
    method: 'GET',
    summary: 'Cohorts, newest first',
    query: { ...PAGE_QUERY, search: 'Part of the name.' },
    response: pageSchema(CohortSchema),
    handler: async ({ project, query, url }) => {
      const page = readPage(query);
      const search = queryText(query, 'search');
      const { count, items } = search
        ? pageByName(await deps.metadata.cohorts.listByProject(project.id), search, page)
        : await deps.metadata.cohorts.list(project.id, page);
      return envelope(url, page, { count, items: await presentCohorts(deps, items) }, (cohort) => cohort);
    },
  });
  projectRoute(app, deps, {
    ...ALL_COHORTS,
    method: 'POST',
    edits: ['cohorts'],
    summary: 'Create a cohort, from criteria or from a list of persons',
    body: CohortWriteSchema,
    maxBodyBytes: deps.config.maxBodyBytes,
    status: 201,
    response: CohortSchema,
    handler: async (context) => {
      const { caller, project, body } = context;
      const changes = readCohortChanges(body);
      return presentOneCohort(deps, await createCohort(deps, caller, project, changes, await personsIn(deps, context)));
    },
  });
}

function oneCohort(app: FastifyInstance, deps: CohortApiDeps): void {
  projectRoute(app, deps, {
    ...ONE_COHORT,
    method: 'GET',
    summary: 'One cohort',
    response: CohortSchema,
    handler: async ({ project, params }) =>
      presentOneCohort(deps, await getCohort(deps.metadata, project.id, idFromPath(params))),
  });
  const change = async (context: WriteContext) => {
    const { caller, project, params, body } = context;
    const id = idFromPath(params);
    await getCohort(deps.metadata, project.id, id);
    const changes = readCohortChanges(body);
    return presentOneCohort(
      deps,
      await updateCohort(deps, caller, project, id, changes, await personsIn(deps, context)),
    );
  };
  for (const method of ['PATCH', 'PUT'] as const) {
    projectRoute(app, deps, {
      ...ONE_COHORT,
      method,
      edits: ['cohorts'],
      summary: 'Change a cohort; persons of a list are added',
      body: CohortWriteSchema,
      maxBodyBytes: deps.config.maxBodyBytes,
      response: CohortSchema,
      handler: change,
    });
  }
  projectRoute(app, deps, {
    ...ONE_COHORT,
    method: 'DELETE',
    hidden: true,
    summary: 'Cohorts are deleted by changing them: deleted is true',
    handler: async ({ reply }) => reply.code(405).send(),
  });
}

function cohortActivity(app: FastifyInstance, deps: CohortApiDeps): void {
  const about = ({ id, organizationId }: Project) => ({ organizationId, projectId: id, scope: COHORT });
  projectRoute(app, deps, {
    ...ALL_COHORTS,
    url: `${ALL_COHORTS.url}activity/`,
    scope: 'activity_log',
    method: 'GET',
    summary: 'Who changed cohorts',
    query: ACTIVITY_QUERY,
    response: ActivityPageSchema,
    handler: ({ project, query, url }) => listActivity(deps, about(project), query, url),
  });
  projectRoute(app, deps, {
    ...ofCohort('activity'),
    method: 'GET',
    summary: 'Who changed this cohort',
    query: ACTIVITY_QUERY,
    response: ActivityPageSchema,
    handler: async ({ project, params, query, url }) => {
      const cohort = await getCohort(deps.metadata, project.id, idFromPath(params));
      return listActivity(deps, { ...about(project), itemId: String(cohort.id) }, query, url);
    },
  });
}
