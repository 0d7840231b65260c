/**
 * What a process knows about the blocks: where each begins and ends, and the filters that were needed, within a limit of
 * memory. So an id that is new is mostly recognized without reading anything.
 *
 * It must know every block that exists; one that no longer exists does no harm. New blocks always have greater numbers.
 */
import type { Sql } from '../tables.ts';
import { latestBlockId, listBlocks, RECENT_LEVEL, readBlockFilters, readIds, type SeenBlock } from './block-rows.ts';
import type { IdList } from './id-list.ts';
import { RecentBlocks } from './recent-blocks.ts';

export interface KnownBlock extends SeenBlock {
  filter: Uint8Array | null;
}

/** `list`: its ids, if they are recent. */
interface NewBlock extends SeenBlock {
  list?: IdList;
}

/** To be applied to the index once it is committed. */
export interface BlockChanges {
  removed: number[];
  added: NewBlock[];
}

/** Filters that are read at a time. */
const FILTER_BATCH = 200;

export class BlockIndex {
  readonly #maxFilterBytes: number;
  readonly #blocks = new Map<number, KnownBlock>();
  /** By project, then by level, in the order of ids. */
  readonly #projects = new Map<number, Map<number, KnownBlock[]>>();
  readonly recent = new RecentBlocks<KnownBlock>();
  /** Those whose filter is in memory. */
  readonly #filtered: KnownBlock[] = [];
  #filterBytes = 0;
  #latest = 0;
  #evictions = 0;

  constructor(maxFilterBytes: number) {
    this.#maxFilterBytes = maxFilterBytes;
  }

  /** The number of the last block that is known. */
  get latest(): number {
    return this.#latest;
  }

  get filterBytes(): number {
    return this.#filterBytes;
  }

  /** Learns what other processes have changed. */
  async refresh(on: Sql): Promise<void> {
    if ((await latestBlockId(on)) === this.#latest) return;
    const found = await this.#withRecentIds(on, await listBlocks(on, 0));
    const latest = found.at(-1)?.id ?? 0;
    // A later change may have become known meanwhile.
    if (latest < this.#latest) return;
    const existing = new Set(found.map(({ id }) => id));
    this.apply({ removed: [...this.#blocks.keys()].filter((id) => !existing.has(id)), added: found });
  }

  async #withRecentIds(on: Sql, blocks: readonly SeenBlock[]): Promise<NewBlock[]> {
    const unknown = blocks.filter(({ id, level }) => level === RECENT_LEVEL && !this.#blocks.has(id));
    const lists = await readIds(
      on,
      unknown.map(({ id }) => id),
    );
    return blocks.map((block) => {
      const list = lists.get(block.id)?.unpack();
      return list ? { ...block, list } : block;
    });
  }

  apply({ removed, added }: BlockChanges): void {
    const gone = removed.flatMap((id) => this.#blocks.get(id) ?? []);
    const fresh = added.filter(({ id }) => !this.#blocks.has(id));
    for (const block of gone) this.#remove(block);
    const changed = new Set(gone.filter(isPacked).map((block) => this.#levelOf(block)));
    for (const { list, ...block } of fresh) {
      const known = { ...block, filter: null };
      this.#blocks.set(block.id, known);
      this.#latest = Math.max(this.#latest, block.id);
      if (isPacked(block)) changed.add(this.#addPacked(known));
      // Without a list it is gone already.
      else if (list !== undefined) this.recent.add(known, list);
    }
    for (const level of changed) level.sort(byFirst);
  }

  #addPacked(block: KnownBlock): KnownBlock[] {
    const level = this.#levelOf(block);
    level.push(block);
    return level;
  }

  #remove(block: KnownBlock): void {
    this.#blocks.delete(block.id);
    this.recent.remove(block);
    if (!isPacked(block)) return;
    const level = this.#levelOf(block);
    level.splice(level.indexOf(block), 1);
    this.#dropFilter(block);
  }

  #levelOf({ projectId, level }: SeenBlock): KnownBlock[] {
    const levels = this.#projects.get(projectId) ?? new Map<number, KnownBlock[]>();
    this.#projects.set(projectId, levels);
    const blocks = levels.get(level) ?? [];
    levels.set(level, blocks);
    return blocks;
  }

  /** Those that may have an id: at most one for each level, and those of recent ids that very probably have it. */
  around(projectId: number, uuid: string, words: Uint32Array, at: number): KnownBlock[] {
    const found: KnownBlock[] = [];
    this.recent.find(projectId, words, at, found);
    for (const blocks of this.#projects.get(projectId)?.values() ?? []) {
      const block = blocks[lowerBound(blocks, uuid)];
      if (block !== undefined && block.firstUuid <= uuid) found.push(block);
    }
    return found;
  }

  /** The blocks of a level in the order of ids, from the first that ends at or after `uuid`. */
  from(projectId: number, level: number, uuid: string): KnownBlock[] {
    const blocks = this.#projects.get(projectId)?.get(level) ?? [];
    return blocks.slice(lowerBound(blocks, uuid));
  }

  lastOf(projectId: number, level: number): KnownBlock | undefined {
    return this.#projects.get(projectId)?.get(level)?.at(-1);
  }

  /** How many blocks of a level have ids within the range of another block. */
  countOverlaps({ projectId, firstUuid, lastUuid }: SeenBlock, level: number): number {
    const blocks = this.#projects.get(projectId)?.get(level) ?? [];
    const first = lowerBound(blocks, firstUuid);
    const last = lowerBound(blocks, lastUuid);
    const isLastHit = (blocks[last]?.firstUuid ?? '~') <= lastUuid;
    return last - first + (isLastHit ? 1 : 0);
  }

  /** Of all projects. */
  ofLevel(level: number): KnownBlock[] {
    return [...this.#projects.values()].flatMap((levels) => levels.get(level) ?? []);
  }

  levels(): number[] {
    return [...new Set([...this.#projects.values()].flatMap((levels) => [...levels.keys()]))].sort((a, b) => a - b);
  }

  /** Calls `use` with the filter of each block that exists; returns the others. */
  async withFilters(
    on: Sql,
    blocks: readonly KnownBlock[],
    use: (block: KnownBlock, filter: Uint8Array) => void,
  ): Promise<KnownBlock[]> {
    const missing: KnownBlock[] = [];
    for (const block of blocks) {
      if (block.filter === null) missing.push(block);
      else use(block, block.filter);
    }
    const gone: KnownBlock[] = [];
    for (let at = 0; at < missing.length; at += FILTER_BATCH) {
      const batch = missing.slice(at, at + FILTER_BATCH);
      const filters = await readBlockFilters(
        on,
        batch.map(({ id }) => id),
      );
      for (const block of batch) {
        const filter = filters.get(block.id);
        if (filter === undefined) gone.push(block);
        else use(block, this.#keepFilter(block, filter));
      }
    }
    return gone;
  }

  #keepFilter(block: KnownBlock, filter: Uint8Array): Uint8Array {
    if (this.#blocks.get(block.id) !== block || block.filter !== null) return filter;
    // A copy: what a driver returns may be a part of something larger.
    block.filter = new Uint8Array(filter);
    this.#filtered.push(block);
    this.#filterBytes += filter.length;
    while (this.#filterBytes > this.#maxFilterBytes) this.#evictOne();
    return filter;
  }

  /**
   * Any of them: random ids need all filters equally often, and the least recently used would always be the one that is
   * needed next.
   */
  #evictOne(): void {
    const place = (this.#evictions++ * 7919) % this.#filtered.length;
    this.#dropFilter(this.#filtered[place] as KnownBlock);
  }

  #dropFilter(block: KnownBlock): void {
    if (block.filter === null) return;
    this.#filterBytes -= block.filter.length;
    block.filter = null;
    const last = this.#filtered.pop();
    if (last !== undefined && last !== block) this.#filtered[this.#filtered.indexOf(block)] = last;
  }
}

const isPacked = ({ level }: SeenBlock): boolean => level !== RECENT_LEVEL;

const byFirst = (a: SeenBlock, b: SeenBlock): number => (a.firstUuid < b.firstUuid ? -1 : 1);

/** The first block that ends at or after `uuid`. */
function lowerBound(blocks: readonly SeenBlock[], uuid: string): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((blocks[middle] as SeenBlock).lastUuid < uuid) low = middle + 1;
    else high = middle;
  }
  return low;
}
