/** New ids and repeats of known ones, in a chunk's transaction. */
import { sql } from 'kysely';
import type { EventId, NewSeenEvent } from '../../ingest/ingest-store.ts';
import type { Sql } from '../tables.ts';
import type { BlockChanges, BlockIndex } from './block-index.ts';
import { deleteSeenBlocks, insertBlock, RECENT_LEVEL, readIds } from './block-rows.ts';
import { type IdList, mergeIds, toIdList } from './id-list.ts';

/** As rows: where two chunks insert the same id, the second one fails. */
export async function insertRows({ db, dialect }: Sql, seen: readonly NewSeenEvent[]): Promise<void> {
  if (seen.length === 0) return;
  const columns = { projectId: 'integer', uuid: 'text', receivedAt: 'integer', processedAt: 'integer' } as const;
  await sql`
    insert into seen_events (project_id, uuid, received_at, processed_at)
    select project_id, uuid, received_at, processed_at from ${dialect.rows(columns, seen)} r
    order by project_id, uuid`.execute(db);
}

/**
 * As one block for each project: random ids would touch a page each, a block is written at once. The project's last block
 * takes the ids of further chunks as long as it is small, so that single events do not make thousands of blocks.
 */
export async function insertBlocks(
  on: Sql,
  index: BlockIndex,
  seen: readonly NewSeenEvent[],
  smallIds: number,
): Promise<BlockChanges> {
  const changes: BlockChanges = { removed: [], added: [] };
  for (const [projectId, ids] of listsByProject(seen)) {
    const last = index.recent.lastOf(projectId);
    const isSmall = last !== undefined && last.events + ids.length <= smallIds;
    const known = isSmall ? (await readIds(on, [last.id])).get(last.id) : undefined;
    if (last !== undefined && known !== undefined) {
      await deleteSeenBlocks(on, [last.id]);
      changes.removed.push(last.id);
    }
    const list = known === undefined ? ids : mergeIds(known.unpack(), ids);
    changes.added.push({ ...(await insertBlock(on, projectId, RECENT_LEVEL, list)), list });
  }
  return changes;
}

export function listsByProject(seen: readonly NewSeenEvent[]): Map<number, IdList> {
  const byId = new Map<number, NewSeenEvent[]>();
  for (const event of seen) {
    const known = byId.get(event.projectId);
    if (known === undefined) byId.set(event.projectId, [event]);
    else known.push(event);
  }
  return new Map([...byId].map(([projectId, ids]) => [projectId, toIdList(ids)]));
}

/** Counted on the row of the id; in a table of their own where it is in a block. */
export async function recordRepeats(on: Sql, repeats: readonly EventId[]): Promise<void> {
  if (repeats.length === 0) return;
  const { db, dialect } = on;
  const repeated = () => dialect.rows({ projectId: 'integer', uuid: 'text' }, repeats);
  await sql`
    update seen_events set repeats = repeats + 1
    where (project_id, uuid) in (select project_id, uuid from ${repeated()} r)`.execute(db);
  const { rows } = await sql<EventId & { repeats: number }>`
    select project_id, uuid, count(*) as repeats from ${repeated()} r
    where not exists (select 1 from seen_events s where s.project_id = r.project_id and s.uuid = r.uuid)
    group by project_id, uuid`.execute(db);
  await addRepeats(on, rows);
}

export async function addRepeats(
  { db, dialect }: Sql,
  repeats: readonly (EventId & { repeats: number })[],
): Promise<void> {
  if (repeats.length === 0) return;
  const columns = { projectId: 'integer', uuid: 'text', repeats: 'integer' } as const;
  await sql`
    insert into event_repeats (project_id, uuid, repeats)
    select project_id, uuid, repeats from ${dialect.rows(columns, repeats)} r where true
    order by project_id, uuid
    on conflict (project_id, uuid) do update set repeats = event_repeats.repeats + excluded.repeats`.execute(db);
}
