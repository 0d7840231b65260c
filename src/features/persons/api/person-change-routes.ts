import type { FastifyInstance } from 'fastify';
import { invalid } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { queryText } from '../../../http/paging.ts';
import type { StoredPerson } from '../../../stores/metadata/persons.ts';
import { listDistinctIds, readPropertyKey, setPersonProperties, unsetPersonProperty } from '../persons.ts';
import type { PersonApiDeps } from './deps.ts';
import { readPersonRef } from './person-query.ts';
import { type PersonContext, personRoute } from './person-route.ts';
import {
  ChangedPersonSchema,
  DeletePropertySchema,
  PersonSchema,
  PersonWriteSchema,
  presentPerson,
  UpdatePropertySchema,
} from './person-schemas.ts';

export function personChangeRoutes(app: FastifyInstance, deps: PersonApiDeps): void {
  const { persons } = deps.metadata;
  const show = async (person: StoredPerson) => presentPerson(person, await listDistinctIds(persons, person.id));
  const set = ({ caller, project, params }: PersonContext<unknown>, properties: JsonObject) =>
    setPersonProperties(deps, caller, project, readPersonRef(params['id']), properties);
  for (const method of ['PATCH', 'PUT'] as const) {
    personRoute(app, deps, {
      method,
      path: '/:id/',
      edits: ['data management'],
      summary: 'Set properties of a person; others stay unchanged',
      body: PersonWriteSchema,
      response: PersonSchema,
      handler: async (context) => show(await set(context, context.body.properties as JsonObject)),
    });
  }
  personRoute(app, deps, {
    method: 'POST',
    path: '/:id/update_property/',
    edits: ['data management'],
    summary: 'Set one property of a person',
    query: { key: 'The name, if not in the body.', value: 'The value as text, if not in the body.' },
    body: UpdatePropertySchema,
    status: 201,
    response: ChangedPersonSchema,
    handler: async (context) => {
      const { body, query } = context;
      const key = readPropertyKey('key', body.key ?? queryText(query, 'key'));
      const value = body.value === undefined ? queryText(query, 'value') : body.value;
      if (value === undefined) throw invalid('value', 'This field is required.', 'required');
      return { ...(await show(await set(context, { [key]: value as Json }))), success: true };
    },
  });
  personRoute(app, deps, {
    method: 'POST',
    path: '/:id/delete_property/',
    edits: ['data management'],
    summary: 'Remove one property of a person',
    query: { $unset: 'The name, if not in the body.' },
    body: DeletePropertySchema,
    status: 201,
    response: ChangedPersonSchema,
    handler: async ({ caller, project, params, body, query }) => {
      const key = readPropertyKey('$unset', body.$unset ?? queryText(query, '$unset'));
      const person = await unsetPersonProperty(deps, caller, project, readPersonRef(params['id']), key);
      return { ...(await show(person)), success: true };
    },
  });
}
