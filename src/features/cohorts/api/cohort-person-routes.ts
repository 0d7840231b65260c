/** Members of cohorts, adding and removing them by hand, and the cohorts of a person. */

import { Readable } from 'node:stream';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import { projectRoute, type RouteContext } from '../../../http/api/route.ts';
import { readCsvCells, readFormat } from '../../../http/format.ts';
import { queryText, readPage } from '../../../http/paging.ts';
import { idFromPath } from '../../../http/path-ids.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { cohortMembersCsv, personPage, searchCohortMembers } from '../../persons/api/person-list.ts';
import { readPersonRef } from '../../persons/api/person-query.ts';
import { personRoute } from '../../persons/api/person-route.ts';
import { PersonListSchema } from '../../persons/api/person-schemas.ts';
import { getPerson } from '../../persons/persons.ts';
import { recordExport } from '../../persons/record-export.ts';
import { getCohort, removeMembers, requireStatic, updateCohort } from '../cohorts.ts';
import { findNamedPersons } from '../find-named-persons.ts';
import {
  AddPersonsSchema,
  COHORT_PERSONS_QUERY,
  CohortsOfPersonSchema,
  RemovePersonSchema,
  SuccessSchema,
} from './cohort-schemas.ts';
import type { CohortApiDeps } from './deps.ts';
import { ONE_COHORT, ofCohort, presentCohorts } from './present-cohorts.ts';

const MEMBERS = ['cohort', 'person'] as const;

export function cohortPersonRoutes(app: FastifyInstance, deps: CohortApiDeps): void {
  projectRoute(app, deps, {
    ...ofCohort('persons'),
    scope: MEMBERS,
    method: 'GET',
    summary: 'Members of a cohort, newest first',
    query: COHORT_PERSONS_QUERY,
    response: PersonListSchema,
    handler: (request) => sendMembers(deps, request, readFormat(request.query)),
  });
  projectRoute(app, deps, {
    ...ONE_COHORT,
    url: `${ONE_COHORT.url}persons.csv`,
    scope: MEMBERS,
    method: 'GET',
    summary: 'Members of a cohort as CSV',
    hidden: true,
    handler: (request) => sendMembers(deps, request, 'csv'),
  });
  for (const method of ['POST', 'PATCH'] as const) byHand(app, deps, method);
  cohortsOfPerson(app, deps);
}

async function sendMembers(
  deps: CohortApiDeps,
  { caller, project, params, query, url, reply }: RouteContext<unknown> & { project: Project },
  format: ReturnType<typeof readFormat>,
): Promise<object> {
  const cohort = await getCohort(deps.metadata, project.id, idFromPath(params));
  const members = await searchCohortMembers(deps, project.id, cohort, query);
  if (format === 'json') return personPage(members, readPage(query), url);
  await recordExport(deps, caller.user.id, project);
  const lines = cohortMembersCsv(members, readCsvCells(query));
  return reply.type('text/csv; charset=utf-8').send(Readable.from(lines));
}

function byHand(app: FastifyInstance, deps: CohortApiDeps, method: HTTPMethods): void {
  const named = (projectId: number, names: readonly string[]): Promise<number[]> =>
    findNamedPersons(deps.metadata.cohortMembers, projectId, names);
  projectRoute(app, deps, {
    ...ofCohort('add_persons_to_static_cohort'),
    method,
    edits: ['cohorts'],
    summary: 'Add persons to a static cohort, by UUID or distinct id',
    body: AddPersonsSchema,
    response: SuccessSchema,
    handler: async ({ caller, project, params, body }) => {
      const id = idFromPath(params);
      requireStatic(await getCohort(deps.metadata, project.id, id));
      await updateCohort(deps, caller, project, id, {}, await named(project.id, body.person_ids));
      return { success: true };
    },
  });
  projectRoute(app, deps, {
    ...ofCohort('remove_person_from_static_cohort'),
    method,
    edits: ['cohorts'],
    summary: 'Remove a person from a static cohort, by UUID or distinct id',
    body: RemovePersonSchema,
    response: SuccessSchema,
    handler: async ({ caller, project, params, body }) => {
      const names = [...(body.person_ids ?? []), ...(body.person_id === undefined ? [] : [body.person_id])];
      if (names.length === 0) throw invalid('person_id', 'This field is required.', 'required');
      const id = idFromPath(params);
      requireStatic(await getCohort(deps.metadata, project.id, id));
      await removeMembers(deps, caller, project, id, await named(project.id, names));
      return { success: true };
    },
  });
}

function cohortsOfPerson(app: FastifyInstance, deps: CohortApiDeps): void {
  personRoute(app, deps, {
    method: 'GET',
    path: '/cohorts/',
    alsoNeeds: 'cohort',
    summary: 'Cohorts that a person is in, as last calculated',
    query: { person_id: "The person's ID or UUID." },
    response: CohortsOfPersonSchema,
    handler: async ({ project, query }) => {
      const ref = queryText(query, 'person_id');
      if (!ref) return { results: [] };
      const person = await getPerson(deps.metadata.persons, project.id, readPersonRef(ref));
      return { results: await presentCohorts(deps, await deps.metadata.cohorts.listByPerson(project.id, person.id)) };
    },
  });
}
