/**
 * The ids that clients gave to their events, to recognize duplicates (decisions 44 and 53). Those of a chunk are written in
 * its transaction, sorted, as one block; where chunks are written concurrently, as rows of `seen_events`. In the background
 * both are moved into larger blocks that do not overlap, at 14 to 19 bytes an id.
 */
import type { EventId, NewSeenEvent, SeenEvent } from '../../ingest/ingest-store.ts';
import type { SqlDialect } from '../dialect.ts';
import type { Db, Sql } from '../tables.ts';
import { type BlockChanges, BlockIndex } from './block-index.ts';
import { findInBlocks, findSeen } from './find-seen.ts';
import { DEFAULT_SIZES, type PackerSizes, SeenPacker } from './packer.ts';
import { insertBlocks, insertRows } from './write-seen.ts';

export interface SeenOptions {
  /** For filters of blocks; what does not fit is read when it is needed. */
  filterMb?: number;
  sizes?: Partial<PackerSizes>;
}

const DEFAULT_FILTER_MB = 128;
const MB = 1024 * 1024;

/** Recognized by `isRetryable` as a conflict between two chunks. */
class SeenMeanwhile extends Error {
  readonly code = '40001';
}

export class SeenEvents {
  readonly #index: BlockIndex;
  readonly #sizes: PackerSizes;
  readonly packer: SeenPacker;

  constructor(db: Db, dialect: SqlDialect, { filterMb = DEFAULT_FILTER_MB, sizes = {} }: SeenOptions = {}) {
    this.#index = new BlockIndex(filterMb * MB);
    this.#sizes = { ...DEFAULT_SIZES, ...sizes };
    this.packer = new SeenPacker(db, dialect, this.#index, this.#sizes);
  }

  get filterBytes(): number {
    return this.#index.filterBytes;
  }

  /** `upTo`: the last block that was searched. */
  async find(on: Sql, events: readonly EventId[]): Promise<{ found: SeenEvent[]; upTo: number }> {
    const found = await findSeen(on, this.#index, events);
    return { found, upTo: this.#index.latest };
  }

  /** Ids that `find` has not found in the same transaction. What it returns is for `committed`. */
  async add(on: Sql, seen: readonly NewSeenEvent[]): Promise<BlockChanges | null> {
    if (!on.dialect.hasConcurrentChunks) return insertBlocks(on, this.#index, seen, this.#sizes.smallIds);
    await insertRows(on, seen);
    return null;
  }

  /** If this is not called after a commit, the next `find` reads what is new. */
  committed(changes: BlockChanges): void {
    this.#index.apply(changes);
  }

  /**
   * After ids were inserted: two chunks cannot both insert an id, but another process may have inserted one and moved it
   * into a block since this chunk has searched them. Then the chunk starts again.
   */
  async assertNew(on: Sql, seen: readonly NewSeenEvent[], upTo: number): Promise<void> {
    if (seen.length === 0) return;
    await this.#index.refresh(on);
    if (this.#index.latest === upTo) return;
    const found = await findInBlocks(on, this.#index, seen);
    if (found.length > 0) throw new SeenMeanwhile(`Another chunk has stored ${found.length} of the same events.`);
  }
}
