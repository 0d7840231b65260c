import type { Json, JsonObject } from '../../src/core/json/json.ts';
import { clientFor } from './client.ts';
import type { InsightCase } from './insight-vectors.ts';
import type { TestProject, TestServer } from './server.ts';

/** Makes the actions of a case, and gives back the case with the numbers that they got. */
export async function makeActions(server: TestServer, project: TestProject, one: InsightCase): Promise<InsightCase> {
  const numbers = new Map<string, number>();
  for (const { id, name, steps } of one.actions ?? []) {
    // Cases may give two actions one name; a project does not.
    const body = { name: `${name} ${id}`, steps };
    const { status, body: made } = await clientFor(server).post(`/api/projects/${project.projectId}/actions/`, {
      body,
    });
    if (status !== 201) throw new Error(`No action: ${JSON.stringify(made)}`);
    await clientFor(server).patch(`/api/projects/${project.projectId}/actions/${made.id}/`, { body: { name } });
    numbers.set(String(id), made.id);
  }
  return numbers.size === 0 ? one : renumbered(one, (id) => numbers.get(String(id)) ?? id);
}

function renumbered(one: InsightCase, real: (id: Json) => Json): InsightCase {
  const filter = inParts(one.filter, real) as JsonObject;
  if (Array.isArray(filter['actions'])) {
    filter['actions'] = (one.filter['actions'] as JsonObject[]).map((item) => ({
      ...item,
      id: real(item['id'] ?? null),
    }));
  }
  for (const name of ['target_entity', 'returning_entity']) {
    const entity = filter[name];
    if (typeof entity === 'string') filter[name] = inParts(JSON.parse(entity), real);
  }
  if (filter['entity_type'] === 'actions') filter['entity_id'] = real(filter['entity_id'] ?? null);
  const expected = one.expected.map((wanted) => ({
    ...wanted,
    value: wanted.path.endsWith('action_id') ? real(wanted.value) : inParts(wanted.value, real),
  }));
  return { ...one, filter, expected };
}

/** Entities that say that they are actions, wherever they stand. */
function inParts(value: Json, real: (id: Json) => Json): Json {
  if (Array.isArray(value)) return value.map((item) => inParts(item, real));
  if (typeof value !== 'object' || value === null) return value;
  const isAction = value['type'] === 'actions';
  const entries = Object.entries(value).map(([name, item]): [string, Json] => {
    const isId = isAction && (name === 'id' || name === 'action_id');
    return [name, isId ? real(item) : inParts(item, real)];
  });
  return Object.fromEntries(entries);
}
