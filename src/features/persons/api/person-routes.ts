import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Failure } from '../../../core/errors.ts';
import { readCsvCells, readFormat } from '../../../http/format.ts';
import { readPage } from '../../../http/paging.ts';
import { getPerson, listDistinctIds } from '../persons.ts';
import { recordExport } from '../record-export.ts';
import type { PersonApiDeps } from './deps.ts';
import { personCsv, personPage, searchPersons } from './person-list.ts';
import { readPersonRef } from './person-query.ts';
import { type PersonContext, personRoute } from './person-route.ts';
import { PERSON_QUERY, PersonListSchema, PersonSchema, presentPerson } from './person-schemas.ts';

export function personRoutes(app: FastifyInstance, deps: PersonApiDeps): void {
  const { persons } = deps.metadata;
  personRoute(app, deps, {
    method: 'GET',
    path: '/',
    summary: 'Persons, newest first',
    query: PERSON_QUERY,
    response: PersonListSchema,
    handler: async (context) => {
      const { project, query, url } = context;
      if (readFormat(query) === 'csv') return sendCsv(deps, context);
      return personPage(await searchPersons(deps, project.id, query), readPage(query), url);
    },
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
    summary: 'Not allowed: persons are created by events',
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

async function sendCsv(deps: PersonApiDeps, { caller, project, query, reply }: PersonContext<unknown>) {
  await recordExport(deps, caller.user.id, project);
  const lines = personCsv(await searchPersons(deps, project.id, query), readCsvCells(query));
  return reply.type('text/csv; charset=utf-8').send(Readable.from(lines));
}
