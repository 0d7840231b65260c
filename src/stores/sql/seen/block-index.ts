/**
 * What a process knows about the blocks: where each begins and ends, and the filters that were needed, within a limit of
 * memory. So an id that is new is mostly recognized without reading anything.
 *
 * It must know every block that exists; one that no longer exists does no harm. New blocks always have greater numbers.
 */
import { addToList } from '../../../lib/add-to-list.ts';
import { eachInTurn } from '../../../lib/in-batches.ts';
import type { Sql } from '../tables.ts';
import { latestBlockId, listBlocks, RECENT_LEVEL, readBlockFilters, readIds, type SeenBlock } from './block-rows.ts';
import type { IdList } from './id-list.ts';
import { type KeyedBlock, keyAt, keyOf, LevelBlocks } from './level-blocks.ts';
import { RecentBlocks } from './recent-blocks.ts';

export interface KnownBlock extends KeyedBlock {
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
  /** By project, then by level. */
  readonly #projects = new Map<number, Map<number, LevelBlocks<KnownBlock>>>();
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
    const found: NewBlock[] = [];
    // In turns: at a start these are millions of ids, and queries wait for this thread.
    await eachInTurn(blocks, (block) => {
      const list = lists.get(block.id)?.unpack();
      found.push(list ? { ...block, list } : block);
    });
    return found;
  }

  apply({ removed, added }: BlockChanges): void {
    const gone = new Set(removed.flatMap((id) => this.#blocks.get(id) ?? []));
    const changed = new Map<LevelBlocks<KnownBlock>, KnownBlock[]>();
    for (const block of gone) {
      this.#blocks.delete(block.id);
      this.recent.remove(block);
      if (!isPacked(block)) continue;
      changed.set(this.#levelOf(block), []);
      this.#dropFilter(block);
    }
    for (const block of added) {
      if (this.#blocks.has(block.id)) continue;
      const known = toKnown(block);
      this.#blocks.set(block.id, known);
      this.#latest = Math.max(this.#latest, block.id);
      if (isPacked(block)) addToList(changed, this.#levelOf(block), known);
      // Without a list it is gone already.
      else if (block.list !== undefined) this.recent.add(known, block.list);
    }
    for (const [level, blocks] of changed) level.change(gone, blocks);
  }

  #levelOf({ projectId, level }: SeenBlock): LevelBlocks<KnownBlock> {
    const levels = this.#projects.get(projectId) ?? new Map<number, LevelBlocks<KnownBlock>>();
    this.#projects.set(projectId, levels);
    const blocks = levels.get(level) ?? new LevelBlocks<KnownBlock>();
    levels.set(level, blocks);
    return blocks;
  }

  /** Those that may have an id: at most one for each level, and those of recent ids that very probably have it. */
  around(projectId: number, uuid: string, words: Uint32Array, at: number): KnownBlock[] {
    const found: KnownBlock[] = [];
    this.recent.find(projectId, words, at, found);
    const levels = this.#projects.get(projectId);
    if (levels === undefined) return found;
    const key = keyAt(words, at);
    for (const level of levels.values()) {
      const block = level.around(uuid, key);
      if (block !== undefined) found.push(block);
    }
    return found;
  }

  /** The blocks of a level in the order of ids, from the first that ends at or after `uuid`. */
  from(projectId: number, level: number, uuid: string): KnownBlock[] {
    const blocks = this.#projects.get(projectId)?.get(level);
    return blocks === undefined ? [] : blocks.all.slice(blocks.placeOf(uuid, keyOf(uuid)));
  }

  lastOf(projectId: number, level: number): KnownBlock | undefined {
    return this.#projects.get(projectId)?.get(level)?.all.at(-1);
  }

  /** How many blocks of a level have ids within the range of another block. */
  countOverlaps(block: KnownBlock, level: number): number {
    const blocks = this.#projects.get(block.projectId)?.get(level);
    if (blocks === undefined) return 0;
    const first = blocks.placeOf(block.firstUuid, block.firstKey);
    const last = blocks.placeOf(block.lastUuid, block.lastKey);
    const isLastHit = (blocks.all[last]?.firstUuid ?? '~') <= block.lastUuid;
    return last - first + (isLastHit ? 1 : 0);
  }

  /** Of all projects. */
  ofLevel(level: number): KnownBlock[] {
    return [...this.#projects.values()].flatMap((levels) => levels.get(level)?.all ?? []);
  }

  /** How many ids a level has, of all projects. */
  eventsOf(level: number): number {
    let sum = 0;
    for (const levels of this.#projects.values()) sum += levels.get(level)?.events ?? 0;
    return sum;
  }

  levels(): number[] {
    return [...new Set([...this.#projects.values()].flatMap((levels) => [...levels.keys()]))].sort((a, b) => a - b);
  }

  /** Reads the filters of blocks, and calls `use` with each. Returns those that no longer exist. */
  async readFilters(
    on: Sql,
    blocks: readonly KnownBlock[],
    use: (block: KnownBlock, filter: Uint8Array) => void,
  ): Promise<KnownBlock[]> {
    const gone: KnownBlock[] = [];
    for (let at = 0; at < blocks.length; at += FILTER_BATCH) {
      const batch = blocks.slice(at, at + FILTER_BATCH);
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

/**
 * Without a spread: V8 gives each object that is made with one here a shape of its own, and reading a block took as long
 * as finding it.
 */
const toKnown = ({ id, projectId, level, firstUuid, lastUuid, events }: SeenBlock): KnownBlock => ({
  id,
  projectId,
  level,
  firstUuid,
  lastUuid,
  events,
  firstKey: keyOf(firstUuid),
  lastKey: keyOf(lastUuid),
  filter: null,
});

const isPacked = ({ level }: SeenBlock): boolean => level !== RECENT_LEVEL;
