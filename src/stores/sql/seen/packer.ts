/**
 * Moves recent ids, from rows and from a chunk's blocks, to the first level of larger blocks, and blocks from level to
 * level, a piece at a time. Each piece is one transaction, so a crash leaves every id in at least one place. It only moves
 * what is stored, so it need not wait for the disk: if a power cut undoes it, it is done again.
 *
 * A level may have eight times as many ids as the one before. When it has more, the block that overlaps with the fewest
 * blocks of the next level is merged into these. So an id is written again about five times per level; new ids are looked
 * for in at most one block per level.
 */
import { sql } from 'kysely';
import type { EventId, NewSeenEvent } from '../../ingest/ingest-store.ts';
import type { SqlDialect } from '../dialect.ts';
import type { Db, Sql } from '../tables.ts';
import type { BlockChanges, BlockIndex, KnownBlock } from './block-index.ts';
import { copyBlock, deleteSeenBlocks, insertBlock, readIds } from './block-rows.ts';
import { type IdList, sliceIds } from './id-list.ts';
import { addToLevel, planAdditions } from './levels.ts';
import { RecentPass } from './recent-pass.ts';
import { addRepeats, listsByProject } from './write-seen.ts';

export interface PackerSizes {
  /** Recent ids from which they are packed. */
  recent: number;
  /** The same while no events come in. */
  idleRecent: number;
  /** Recent ids that are packed at a time. */
  pieceIds: number;
  /** Up to so many recent ids, chunks share a block. */
  smallIds: number;
  /** Ids of a block. */
  blockIds: number;
  /** How much larger a level is than the one before. */
  growth: number;
  /** Blocks of the next level that are written again at a time. */
  mergedBlocks: number;
}

export const DEFAULT_SIZES: PackerSizes = {
  recent: 131_072,
  idleRecent: 4096,
  pieceIds: 8192,
  smallIds: 1024,
  blockIds: 4096,
  growth: 8,
  mergedBlocks: 32,
};
/** Between two counts of rows. */
const COUNT_INTERVAL_MS = 5000;
/** Blocks that are deleted at a time. */
const DELETED_BLOCKS = 500;
const FIRST_LEVEL = 1;
const START: EventId = { projectId: 0, uuid: '' };
const NO_CHANGES: BlockChanges = { removed: [], added: [] };

/** What a transaction has done, and what is to be noted when it is committed. */
interface Piece {
  changes: BlockChanges;
  committed?(): void;
}

export class SeenPacker {
  readonly #db: Db;
  readonly #dialect: SqlDialect;
  readonly #index: BlockIndex;
  readonly #sizes: PackerSizes;
  /** The last row that was packed in this pass over all rows; null between two passes. */
  #reached: EventId | null = null;
  #recentPass: RecentPass | null = null;
  #isLevelFull = false;
  #processedAtLastCount = -1;
  /** Whether nothing was left to be done when events stopped coming. */
  #isTidy = false;
  #nextCountAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db, dialect: SqlDialect, index: BlockIndex, sizes: PackerSizes) {
    this.#db = db;
    this.#dialect = dialect;
    this.#index = index;
    this.#sizes = sizes;
  }

  get isDue(): boolean {
    return this.#isBusy || this.#index.recent.events > this.#sizes.recent || performance.now() >= this.#nextCountAt;
  }

  get #isBusy(): boolean {
    return this.#reached !== null || this.#recentPass !== null || this.#isLevelFull;
  }

  /** One piece, if there is one. */
  async packSome(): Promise<void> {
    if (!this.#isBusy && !(await this.#startPass())) return;
    const { changes, committed } = await this.#dialect.reorganize(this.#db, async (db) => {
      const on = { db, dialect: this.#dialect };
      await this.#dialect.lock(db, 'seen');
      await this.#index.refresh(on);
      return this.#packPiece(on);
    });
    this.#index.apply(changes);
    committed?.();
    this.#isTidy = false;
    this.#isLevelFull = this.#fullLevel() !== undefined;
  }

  /** All that there is, whatever its number. */
  async packAll(): Promise<void> {
    await this.#index.refresh({ db: this.#db, dialect: this.#dialect });
    this.#reached ??= START;
    this.#recentPass ??= new RecentPass(this.#index.recent.all());
    while (this.#isBusy) await this.packSome();
  }

  /** Recent ids are packed when there are many, or when no more of them come. */
  async #startPass(): Promise<boolean> {
    const { recent, idleRecent } = this.#sizes;
    this.#nextCountAt = performance.now() + COUNT_INTERVAL_MS;
    const processed = await countProcessed(this.#db);
    const isIdle = processed === this.#processedAtLastCount;
    this.#processedAtLastCount = processed;
    const areEnough = (ids: number): boolean => ids > recent || (isIdle && ids >= idleRecent);
    if (areEnough(await countRows(this.#db, recent + 1))) this.#reached = START;
    await this.#index.refresh({ db: this.#db, dialect: this.#dialect });
    if (areEnough(this.#index.recent.events)) this.#recentPass = new RecentPass(this.#index.recent.all());
    if (!isIdle) this.#isTidy = false;
    else if (!this.#isBusy && !this.#isTidy) await this.#releaseSpace();
    return this.#isBusy;
  }

  /** Packing leaves free space behind, which is returned while nobody needs it. */
  async #releaseSpace(): Promise<void> {
    this.#isTidy = !(await this.#dialect.releaseSpace(this.#db));
    if (!this.#isTidy) this.#nextCountAt = Number.NEGATIVE_INFINITY;
  }

  async #packPiece(on: Sql): Promise<Piece> {
    const level = this.#fullLevel();
    if (level !== undefined) return { changes: await this.#emptyLevel(on, level) };
    if (this.#reached !== null) return this.#packRows(on, this.#reached);
    return this.#recentPass === null ? { changes: NO_CHANGES } : this.#packRecent(on, this.#recentPass);
  }

  async #packRows(on: Sql, after: EventId): Promise<Piece> {
    const { pieceIds } = this.#sizes;
    const rows = await takeRows(on, after, pieceIds);
    const last = rows.at(-1);
    return {
      changes: await this.#addToFirstLevel(on, listsByProject(rows)),
      committed: () => {
        this.#reached = last === undefined || rows.length < pieceIds ? null : last;
      },
    };
  }

  /** When all ids are packed, the blocks are deleted. */
  async #packRecent(on: Sql, pass: RecentPass): Promise<Piece> {
    const piece = await pass.next(on, this.#sizes.pieceIds);
    if (piece === null) return this.#deletePacked(on, pass);
    return {
      changes: await this.#addToFirstLevel(on, piece.lists),
      committed: () => pass.advance(piece),
    };
  }

  async #deletePacked(on: Sql, pass: RecentPass): Promise<Piece> {
    const removed = pass.blocks.slice(0, DELETED_BLOCKS).map(({ id }) => id);
    await deleteSeenBlocks(on, removed);
    return {
      changes: { removed, added: [] },
      committed: () => {
        pass.dropBlocks(removed.length);
        if (pass.blocks.length === 0) this.#recentPass = null;
      },
    };
  }

  async #addToFirstLevel(on: Sql, lists: Iterable<readonly [projectId: number, list: IdList]>): Promise<BlockChanges> {
    const { blockIds } = this.#sizes;
    const changes: BlockChanges = { removed: [], added: [] };
    for (const [projectId, list] of lists) {
      const to = { projectId, level: FIRST_LEVEL };
      const additions = planAdditions(this.#index, to, list, blockIds);
      const { removed, added } = await addToLevel(on, to, list, additions, blockIds);
      changes.removed.push(...removed);
      changes.added.push(...added);
    }
    return changes;
  }

  #fullLevel(): number | undefined {
    const { recent, growth } = this.#sizes;
    return this.#index.levels().find((level) => this.#index.eventsOf(level) > recent * growth ** level);
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
