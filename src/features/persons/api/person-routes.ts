import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Failure } from '../../../core/errors.ts';
import { readFormat } from '../../../http/format.ts';
import { readPage } from '../../../http/paging.ts';
import { searchPattern } from '../../../lib/search-pattern.ts';
import { getPerson, listDistinctIds } from '../persons.ts';
import { eachPersonBatch, listPersons } from '../search/search-persons.ts';
import type { PersonApiDeps } from './deps.ts';
import { cohortMembership } from './list-cohort-members.ts';
import { personCsv } from './person-csv.ts';
import { pageLinks, readPersonQuery, readPersonRef } from './person-query.ts';
import { type PersonContext, personRoute } from './person-route.ts';
import { PERSON_QUERY, PersonListSchema, PersonSchema, presentListedPerson, presentPerson } from './person-schemas.ts';

/** Distinct ids of one person in a list; the person itself shows all of them. */
const MAX_LISTED_IDS = 1000;

export function personRoutes(app: FastifyInstance, deps: PersonApiDeps): void {
  const { persons } = deps.metadata;
  personRoute(app, deps, {
    method: 'GET',
    path: '/',
    summary: 'Persons, newest first',
    query: PERSON_QUERY,
    response: PersonListSchema,
    handler: (context) => (readFormat(context.query) === 'csv' ? sendCsv(deps, context) : list(deps, context)),
  });
  personRoute(app, deps, {
    method: 'GET',
    path: '.csv',
    summary: 'Persons as CSV',
    hidden: true,
    handler: (context) => sendCsv(deps, context),
  });
  personRoute(app, deps, {
    method: 'POST',
    path: '/',
    summary: 'Persons come from events',
    hidden: true,
    handler: () => Promise.reject(new Failure('method_not_allowed', CREATION_NOT_ALLOWED)),
  });
  personRoute(app, deps, {
    method: 'GET',
    path: '/:id/',
    summary: 'One person, by number or UUID',
    response: PersonSchema,
    handler: async ({ project, params }) => {
      const person = await getPerson(persons, project.id, readPersonRef(params['id']));
      return presentPerson(person, await listDistinctIds(persons, person.id));
    },
  });
}

const CREATION_NOT_ALLOWED =
  'Creating persons via this API is not allowed. Please create persons by sending an $identify event. ' +
  'See https://posthog.com/docs/integrate/identifying-user for details.';

async function list(deps: PersonApiDeps, { project, query, url }: PersonContext<unknown>) {
  const { persons } = deps.metadata;
  const page = readPage(query);
  const question = readPersonQuery(project.id, query);
  const isIn = await cohortMembership(deps, project.id, question.filter);
  const found = await listPersons({ persons, search: searchPattern, isCohortMember: isIn }, question, page);
  const ids = await persons.listDistinctIds(
    found.map(({ id }) => id),
    MAX_LISTED_IDS,
  );
  const results = found.map((person) => presentListedPerson(person, ids.get(person.id) ?? []));
  return { ...pageLinks(url, page, found.length), results };
}

/** Everybody who is meant, whatever page was asked for. */
async function sendCsv(deps: PersonApiDeps, { project, query, reply }: PersonContext<unknown>) {
  const { persons } = deps.metadata;
  const question = readPersonQuery(project.id, query);
  const isIn = await cohortMembership(deps, project.id, question.filter);
  const lines = personCsv(persons, () =>
    eachPersonBatch({ persons, search: searchPattern, isCohortMember: isIn }, question),
  );
  return reply.type('text/csv; charset=utf-8').send(Readable.from(lines));
}
