/** Who is who, as the stores have it. */
import { capture, type SentEvent } from './capture.ts';
import { clientFor } from './client.ts';
import type { TestServer } from './server.ts';

export const identify = (distinctId: string, other: string, $set: object = {}): SentEvent => ({
  event: '$identify',
  distinct_id: distinctId,
  properties: { $anon_distinct_id: other, $set },
});

export interface StoredPerson {
  id: number;
  uuid: string;
  createdAt: number;
  properties: Record<string, unknown>;
  isIdentified: number;
}

/** The person behind a distinct id; throws where there is none. */
export function personOf(server: Pick<TestServer, 'rows' | 'projectId'>, distinctId: string): StoredPerson {
  const [row] = server.rows(
    `select p.* from person_distinct_ids d join persons p on p.id = d.person_id
    where d.project_id = ? and d.distinct_id = ?`,
    server.projectId,
    distinctId,
  );
  if (!row) throw new Error(`Nobody is known as ${distinctId}`);
  return {
    id: row.id,
    uuid: row.uuid,
    createdAt: row.created_at,
    properties: JSON.parse(row.properties),
    isIdentified: row.is_identified,
  };
}

/** For each person who has events: distinct id and name of each, sorted. */
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

/** Leaves a deletion behind, for tests that want one of everything. */
export async function deleteSomebody(server: TestServer): Promise<void> {
  await capture(server, server.projectKey, [{ distinct_id: 'leaver' }]);
  const { id } = personOf(server, 'leaver');
  const path = `/api/projects/${server.projectId}/persons/${id}/?delete_events=true`;
  const { status } = await clientFor(server).delete(path);
  if (status !== 204) throw new Error(`The deletion was answered with ${status}`);
}
