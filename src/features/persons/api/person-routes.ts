import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Failure } from '../../../core/errors.ts';
import { readFormat } from '../../../http/format.ts';
import { readPage } from '../../../http/paging.ts';
import { searchPattern } from '../../../lib/search-pattern.ts';
import { allDistinctIds, findPerson } from '../persons.ts';
import { eachPerson, listPersons } from '../search/search-persons.ts';
import type { ApiDeps } from './deps.ts';
import { cohortsAsked } from './list-cohort-members.ts';
import { personCsv } from './person-csv.ts';
import { pageLinks, readPersonQuestion, readPersonRef } from './person-query.ts';
import { type PersonContext, personRoute } from './person-route.ts';
import { PERSON_QUERY, PersonListSchema, PersonSchema, presentListedPerson, presentPerson } from './person-schemas.ts';

/** Distinct ids of one person in a list; the person itself shows all of them. */
const LISTED_IDS = 1000;

export function personRoutes(app: FastifyInstance, deps: ApiDeps): void {
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
    handler: () => Promise.reject(new Failure('method_not_allowed', NOT_CREATED)),
  });
  personRoute(app, deps, {
    method: 'GET',
    path: '/:id/',
    summary: 'One person, by number or UUID',
    response: PersonSchema,
    handler: async ({ project, params }) => {
      const person = await findPerson(persons, project.id, readPersonRef(params['id']));
      return presentPerson(person, await allDistinctIds(persons, person.id));
    },
  });
}

const NOT_CREATED =
  'Creating persons via this API is not allowed. Please create persons by sending an $identify event. ' +
  'See https://posthog.com/docs/integrate/identifying-user for details.';

async function list(deps: ApiDeps, { project, query, url }: PersonContext<unknown>) {
  const { persons } = deps.metadata;
  const page = readPage(query);
  const question = readPersonQuestion(project.id, query);
  const isIn = await cohortsAsked(deps, project.id, question.filter);
  const found = await listPersons({ persons, search: searchPattern, isIn }, question, page);
  const ids = await persons.distinctIds(
    found.map(({ id }) => id),
    LISTED_IDS,
  );
  const results = found.map((person) => presentListedPerson(person, ids.get(person.id) ?? []));
  return { ...pageLinks(url, page, found.length), results };
}

/** Everybody who is meant, whatever page was asked for. */
async function sendCsv(deps: ApiDeps, { project, query, reply }: PersonContext<unknown>) {
  const { persons } = deps.metadata;
  const question = readPersonQuestion(project.id, query);
  const isIn = await cohortsAsked(deps, project.id, question.filter);
  const lines = personCsv(persons, () => eachPerson({ persons, search: searchPattern, isIn }, question));
  return reply.type('text/csv; charset=utf-8').send(Readable.from(lines));
}
