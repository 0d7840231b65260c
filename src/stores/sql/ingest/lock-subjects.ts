/**
 * Concurrent chunks lock the subjects they change before they read them, always in the same order, so that deadlocks are
 * rare.
 */
import { sql } from 'kysely';
import { hashText, STRIPES, stripeOf } from '../../../core/persons/id-stripe.ts';
import type { DistinctId, Group } from '../../ingest/ingest-store.ts';
import type { Sql } from '../tables.ts';

const ascending = (stripes: readonly number[]): number[] => [...new Set(stripes)].sort((a, b) => a - b);

/**
 * Locks the ids first, so that no other chunk creates persons for them, then their persons. While waiting, ids may have
 * moved to other persons: then it reads again.
 */
export async function lockPersons<Row extends { id: number }>(
  on: Sql,
  ids: readonly DistinctId[],
  look: () => Promise<Row[]>,
): Promise<Row[]> {
  const { db, dialect } = on;
  await dialect.lockStripes(db, 'ids', ascending(ids.map((id) => stripeOf(id.projectId, id.distinctId))));
  const wanted = dialect.rows({ projectId: 'integer', distinctId: 'text' }, ids);
  const locked = new Set<number>();
  for (;;) {
    const { rows: held } = await sql<{ id: number }>`
      select p.id from persons p
      where p.id in (
        select d.person_id from ${wanted} w
        join person_distinct_ids d on d.project_id = w.project_id and d.distinct_id = w.distinct_id
      )
      order by p.id
      for update`.execute(db);
    for (const { id } of held) locked.add(id);
    const rows = await look();
    if (rows.every(({ id }) => locked.has(id))) return rows;
  }
}

/** Groups belong to no partition: any chunk may change them. */
export async function lockGroups(
  { db, dialect }: Sql,
  keys: readonly Pick<Group, 'projectId' | 'typeIndex' | 'key'>[],
): Promise<void> {
  if (!dialect.hasConcurrentChunks) return;
  const stripes = keys.map(({ projectId, typeIndex, key }) => hashText(`${projectId}:${typeIndex}:${key}`) % STRIPES);
  await dialect.lockStripes(db, 'groups', ascending(stripes));
}
