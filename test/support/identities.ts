/** Persons and their events, as stored. */
import type { StoredPerson } from '../../src/stores/metadata/persons.ts';
import { capture, type SentEvent } from './capture.ts';
import { clientFor } from './client.ts';
import type { TestServer } from './server.ts';

export const identify = (distinctId: string, other: string, $set: object = {}): SentEvent => ({
  event: '$identify',
  distinct_id: distinctId,
  properties: { $anon_distinct_id: other, $set },
});

export type KnownPerson = Pick<StoredPerson, 'id' | 'uuid' | 'createdAt' | 'properties' | 'isIdentified'>;

/** The person of a distinct id; throws if there is none. */
export async function personOf(
  { metadata, projectId }: Pick<TestServer, 'metadata' | 'projectId'>,
  distinctId: string,
): Promise<KnownPerson> {
  const person = await metadata.persons.getByDistinctId(projectId, distinctId);
  if (!person) throw new Error(`Nobody is known as ${distinctId}`);
  const { id, uuid, createdAt, properties, isIdentified } = person;
  return { id, uuid, createdAt, properties, isIdentified };
}

/** The events of each person, as distinct id and name, sorted. */
export async function eventsByPerson(server: Pick<TestServer, 'query'>): Promise<Record<string, string[]>> {
  const rows = await server.query(
    `select person_id, distinct_id || ' ' || event as shown from events order by person_id, shown`,
    [],
  );
  const found: Record<string, string[]> = {};
  for (const row of rows) {
    const person = String(row['person_id']);
    found[person] = [...(found[person] ?? []), String(row['shown'])];
  }
  return found;
}

/** Creates and deletes a person, for tests that need a deletion. */
export async function deleteSomebody(server: TestServer): Promise<void> {
  await capture(server, server.projectKey, [{ distinct_id: 'leaver' }]);
  const { id } = await personOf(server, 'leaver');
  const path = `/api/projects/${server.projectId}/persons/${id}/?delete_events=true`;
  const { status } = await clientFor(server).delete(path);
  if (status !== 204) throw new Error(`The deletion was answered with ${status}`);
}
