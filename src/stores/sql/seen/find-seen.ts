/** Finds ids among rows (`seen_events`) and in blocks. */
import { sql } from 'kysely';
import { addToList } from '../../../lib/add-to-list.ts';
import { eventKey } from '../../ingest/event-key.ts';
import type { EventId, SeenEvent } from '../../ingest/ingest-store.ts';
import type { Sql } from '../tables.ts';
import type { BlockIndex, KnownBlock } from './block-index.ts';
import { listBlocksAround, RECENT_LEVEL, readBlockFilters, readIds } from './block-rows.ts';
import { mayContain } from './id-filter.ts';
import { type ListedId, WORDS, writeWords } from './id-list.ts';
import type { PackedIds } from './pack-ids.ts';

/** Blocks whose ids are read at a time. */
const READ_BATCH = 50;

/**
 * Rows first: what is moved into a block meanwhile, by another process, is found in either. The index is up to date
 * afterwards.
 */
export async function findSeen(on: Sql, index: BlockIndex, events: readonly EventId[]): Promise<SeenEvent[]> {
  if (events.length === 0) return [];
  const found = await findRows(on, events);
  if (found.length === 0) return findInBlocks(on, index, events);
  const known = new Set(found.map(eventKey));
  const others = events.filter((event) => !known.has(eventKey(event)));
  return [...found, ...(await findInBlocks(on, index, others))];
}

/** On one machine only an earlier version has written rows: once they are packed, none is left. */
async function findRows(on: Sql, events: readonly EventId[]): Promise<SeenEvent[]> {
  const { db, dialect } = on;
  if (!dialect.hasConcurrentChunks && !(await hasRows(on))) return [];
  const wanted = dialect.rows({ projectId: 'integer', uuid: 'text' }, events);
  const { rows } = await sql<SeenEvent>`
    select s.project_id, s.uuid, s.received_at
    from ${wanted} w
    cross join seen_events s
    where s.project_id = w.project_id and s.uuid = w.uuid`.execute(db);
  return rows.map((row) => ({ ...row, receivedAt: Number(row.receivedAt) }));
}

async function hasRows({ db }: Sql): Promise<boolean> {
  const row = await db.selectFrom('seenEvents').select('projectId').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Where a block is gone because it was merged into others meanwhile, these are searched. */
export async function findInBlocks(on: Sql, index: BlockIndex, events: readonly EventId[]): Promise<SeenEvent[]> {
  for (;;) {
    await index.refresh(on);
    const { latest } = index;
    const { found, isComplete } = await searchBlocks(on, index, events);
    if (isComplete) return found;
    await index.refresh(on);
    if (index.latest === latest) return found;
  }
}

async function searchBlocks(on: Sql, index: BlockIndex, events: readonly EventId[]) {
  const words = new Uint32Array(events.length * WORDS);
  const likely = new Map<KnownBlock, EventId[]>();
  /** By block, the places of events, where its filter is not in memory. */
  const unread = new Map<KnownBlock, number[]>();
  for (const [place, event] of events.entries()) {
    writeWords(event.uuid, words, place);
    for (const block of index.around(event.projectId, event.uuid, words, place)) {
      if (block.level === RECENT_LEVEL) addToList(likely, block, event);
      else if (block.filter === null) addToList(unread, block, place);
      else if (mayContain(block.filter, words, place)) addToList(likely, block, event);
    }
  }
  const gone = await index.readFilters(on, [...unread.keys()], (block, filter) => {
    for (const place of unread.get(block) ?? [])
      if (mayContain(filter, words, place)) addToList(likely, block, events[place] as EventId);
  });
  // While it is being packed, an id is in two blocks.
  const found = new Map<string, SeenEvent>();
  let read = 0;
  const blocks = [...likely.keys()];
  for (let at = 0; at < blocks.length; at += READ_BATCH) {
    const batch = blocks.slice(at, at + READ_BATCH);
    const lists = await readIds(
      on,
      batch.map(({ id }) => id),
    );
    read += lists.size;
    for (const block of batch) {
      for (const match of matches(lists.get(block.id), likely.get(block) as EventId[]))
        found.set(eventKey(match), match);
    }
  }
  return { found: [...found.values()], isComplete: gone.length === 0 && read === blocks.length };
}

const matches = (list: PackedIds | undefined, wanted: readonly EventId[]): SeenEvent[] =>
  wanted.flatMap(({ projectId, uuid }) => {
    const found = list?.find(uuid);
    return found ? [{ projectId, uuid, receivedAt: found.receivedAt }] : [];
  });

/** One id, for those who look up few: without an index in memory. */
export async function findPacked(on: Sql, projectId: number, uuid: string): Promise<ListedId | null> {
  const blocks = (await listBlocksAround(on, projectId, uuid)).map(({ id }) => id);
  const filters = await readBlockFilters(on, blocks);
  const words = new Uint32Array(WORDS);
  writeWords(uuid, words, 0);
  const likely = blocks.filter((id) => {
    const filter = filters.get(id);
    return filter === undefined || mayContain(filter, words, 0);
  });
  const lists = await readIds(on, likely);
  for (const list of lists.values()) {
    const found = list.find(uuid);
    if (found !== null) return { uuid, ...found };
  }
  // One was merged into another meanwhile.
  return lists.size < likely.length ? findPacked(on, projectId, uuid) : null;
}
