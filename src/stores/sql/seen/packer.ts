/**
 * Moves ids from rows into blocks, and blocks from level to level, a piece at a time. Each piece is one transaction, so a
 * crash leaves every id in exactly one place. It only moves what is stored, so it need not wait for the disk: if a power
 * cut undoes it, it is done again.
 *
 * A level may have eight times as many ids as the one before. When it has more, the block that overlaps with the fewest
 * blocks of the next level is merged into these. So an id is written again about five times per level; new ids are looked
 * for in at most one block per level.
 */
import { sql } from 'kysely';
import type { EventId, NewSeenEvent } from '../../ingest/ingest-store.ts';
import type { SqlDialect } from '../dialect.ts';
import type { Db, Sql } from '../tables.ts';
import type { BlockIndex, KnownBlock } from './block-index.ts';
import { copyBlock, deleteSeenBlocks, insertBlock, readIds } from './block-rows.ts';
import { type IdList, sliceIds, toIdList } from './id-list.ts';
import { addToLevel, type BlockChanges, planAdditions } from './levels.ts';
import { addRepeats } from './write-seen.ts';

export interface PackerSizes {
  /** Rows from which ids are packed. */
  rows: number;
  /** The same while no events come in. */
  idleRows: number;
  /** Rows that are packed at a time. */
  pieceRows: number;
  /** Ids of a block. */
  blockIds: number;
  /** How much larger a level is than the one before. */
  growth: number;
  /** Blocks of the next level that are written again at a time. */
  mergedBlocks: number;
}

const DEFAULT_SIZES: PackerSizes = {
  rows: 131_072,
  idleRows: 4096,
  pieceRows: 8192,
  blockIds: 4096,
  growth: 8,
  mergedBlocks: 32,
};
/** Between two counts of rows. */
const COUNT_INTERVAL_MS = 5000;
const FIRST_LEVEL = 1;
const START: EventId = { projectId: 0, uuid: '' };

export class SeenPacker {
  readonly #db: Db;
  readonly #dialect: SqlDialect;
  readonly #index: BlockIndex;
  readonly #sizes: PackerSizes;
  /** The last row that was packed in this pass over all rows; null between two passes. */
  #reached: EventId | null = null;
  #isLevelFull = false;
  #processedAtLastCount = -1;
  /** Whether nothing was left to be done when events stopped coming. */
  #isTidy = false;
  #nextCountAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db, dialect: SqlDialect, index: BlockIndex, sizes: Partial<PackerSizes> = {}) {
    this.#db = db;
    this.#dialect = dialect;
    this.#index = index;
    this.#sizes = { ...DEFAULT_SIZES, ...sizes };
  }

  get isDue(): boolean {
    return this.#reached !== null || this.#isLevelFull || performance.now() >= this.#nextCountAt;
  }

  /** One piece, if there is one. */
  async packSome(): Promise<void> {
    if (this.#reached === null && !this.#isLevelFull && !(await this.#startPass())) return;
    const changes = await this.#dialect.reorganize(this.#db, async (db) => {
      const on = { db, dialect: this.#dialect };
      await this.#dialect.lock(db, 'seen');
      await this.#index.refresh(on);
      const level = this.#fullLevel();
      return level === undefined ? this.#packRows(on) : this.#emptyLevel(on, level);
    });
    this.#index.apply(changes.removed, changes.added);
    this.#isTidy = false;
    this.#isLevelFull = this.#fullLevel() !== undefined;
  }

  /** All that there is, whatever its number. */
  async packAll(): Promise<void> {
    this.#reached ??= START;
    while (this.#reached !== null || this.#isLevelFull) await this.packSome();
  }

  /** Rows are packed when there are many, or when no more of them come. */
  async #startPass(): Promise<boolean> {
    const { rows, idleRows } = this.#sizes;
    this.#nextCountAt = performance.now() + COUNT_INTERVAL_MS;
    const count = await countRows(this.#db, rows + 1);
    const processed = await countProcessed(this.#db);
    const isIdle = processed === this.#processedAtLastCount;
    this.#processedAtLastCount = processed;
    if (count > rows || (isIdle && count >= idleRows)) this.#reached = START;
    else if (!isIdle) this.#isTidy = false;
    else if (!this.#isTidy) await this.#releaseSpace();
    return this.#reached !== null;
  }

  /** Packing leaves free space behind, which is returned while nobody needs it. */
  async #releaseSpace(): Promise<void> {
    this.#isTidy = !(await this.#dialect.releaseSpace(this.#db));
    if (!this.#isTidy) this.#nextCountAt = Number.NEGATIVE_INFINITY;
  }

  async #packRows(on: Sql): Promise<BlockChanges> {
    const { pieceRows, blockIds } = this.#sizes;
    const rows = await takeRows(on, this.#reached ?? START, pieceRows);
    const last = rows.at(-1);
    const changes: BlockChanges = { removed: [], added: [] };
    for (const [projectId, list] of byProject(rows)) {
      const to = { projectId, level: FIRST_LEVEL };
      const additions = planAdditions(this.#index, to, list, blockIds);
      addChanges(changes, await addToLevel(on, to, list, additions, blockIds));
    }
    this.#reached = last === undefined || rows.length < pieceRows ? null : last;
    return changes;
  }

  #fullLevel(): number | undefined {
    const { rows, growth } = this.#sizes;
    const idsOf = (level: number): number => this.#index.ofLevel(level).reduce((sum, { events }) => sum + events, 0);
    return this.#index.levels().find((level) => idsOf(level) > rows * growth ** level);
  }

  async #emptyLevel(on: Sql, level: number): Promise<BlockChanges> {
    const [block, overlaps] = this.#easiestBlock(level);
    if (overlaps === 0) return { removed: [block.id], added: [await copyBlock(on, block, level + 1)] };
    const list = (await readIds(on, [block.id])).get(block.id)?.unpack();
    await deleteSeenBlocks(on, [block.id]);
    const changes = list === undefined ? { removed: [], added: [] } : await this.#mergeDown(on, block, list);
    return { ...changes, removed: [...changes.removed, block.id] };
  }

  /** What would touch too many blocks at once stays, as a smaller block. */
  async #mergeDown(on: Sql, { projectId, level }: KnownBlock, list: IdList): Promise<BlockChanges> {
    const { blockIds, mergedBlocks } = this.#sizes;
    const to = { projectId, level: level + 1 };
    const additions = planAdditions(this.#index, to, list, blockIds);
    const changes = await addToLevel(on, to, list, additions.slice(0, mergedBlocks), blockIds);
    const rest = additions[mergedBlocks];
    if (rest !== undefined)
      changes.added.push(await insertBlock(on, projectId, level, sliceIds(list, rest.from, list.length)));
    return changes;
  }

  #easiestBlock(level: number): [KnownBlock, overlaps: number] {
    let best: [KnownBlock, number] | undefined;
    for (const block of this.#index.ofLevel(level)) {
      const overlaps = this.#index.countOverlaps(block, level + 1);
      if (best === undefined || overlaps / block.events < best[1] / best[0].events) best = [block, overlaps];
      if (overlaps === 0) break;
    }
    if (best === undefined) throw new Error(`There are no blocks on level ${level}.`);
    return best;
  }
}

const addChanges = (to: BlockChanges, { removed, added }: BlockChanges): void => {
  to.removed.push(...removed);
  to.added.push(...added);
};

async function countRows(db: Db, most: number): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    select count(*) as rows from (select 1 as one from seen_events limit ${most}) s`.execute(db);
  return Number(rows[0]?.rows ?? 0);
}

async function countProcessed(db: Db): Promise<number> {
  const { rows } = await sql<{ processed: number }>`
    select coalesce(sum(count), 0) as processed from event_counters`.execute(db);
  return Number(rows[0]?.processed ?? 0);
}

/** Deletes rows and returns them, in the order of their ids. Repeats that they counted are counted apart from now on. */
async function takeRows(on: Sql, after: EventId, limit: number): Promise<NewSeenEvent[]> {
  const { rows } = await sql<NewSeenEvent & { repeats: number }>`
    delete from seen_events where (project_id, uuid) in (
      select project_id, uuid from seen_events where (project_id, uuid) > (${after.projectId}, ${after.uuid})
      order by project_id, uuid limit ${limit})
    returning project_id, uuid, received_at, processed_at, repeats`.execute(on.db);
  const taken = rows.map((row) => ({
    projectId: Number(row.projectId),
    uuid: row.uuid,
    receivedAt: Number(row.receivedAt),
    processedAt: Number(row.processedAt),
    repeats: Number(row.repeats),
  }));
  await addRepeats(
    on,
    taken.filter(({ repeats }) => repeats > 0),
  );
  return taken.sort((a, b) => a.projectId - b.projectId || (a.uuid < b.uuid ? -1 : 1));
}

function byProject(rows: readonly NewSeenEvent[]): Map<number, IdList> {
  const byId = new Map<number, NewSeenEvent[]>();
  for (const row of rows) {
    const known = byId.get(row.projectId);
    if (known === undefined) byId.set(row.projectId, [row]);
    else known.push(row);
  }
  return new Map([...byId].map(([projectId, ids]) => [projectId, toIdList(ids)]));
}
