/**
 * Finds the blocks of recent ids that may have an id. They overlap, so with random ids the filter of each would have to be
 * asked; this is one table over all of them, from 32 bits of an id's hash to the number of its block.
 */
import type { SeenBlock } from './block-rows.ts';
import { hashId } from './id-filter.ts';
import type { IdList } from './id-list.ts';

const SEED = 0x5bd1e995;
const MIN_SLOTS = 4096;
/** Slots per id when the table is made; it is made again when there are less than two. */
const SLOTS_PER_ID = 4;

export class RecentBlocks<Block extends SeenBlock> {
  readonly #blocks = new Map<number, { block: Block; hashes: Uint32Array }>();
  readonly #lastOf = new Map<number, Block>();
  #slotHashes = new Uint32Array(MIN_SLOTS);
  /** 0: the slot is free. Those of removed blocks stay until the table is made again. */
  #slotBlocks = new Uint32Array(MIN_SLOTS);
  #used = 0;
  #events = 0;

  /** How many ids there are. */
  get events(): number {
    return this.#events;
  }

  /** Oldest first. */
  all(): Block[] {
    return [...this.#blocks.values()].map(({ block }) => block);
  }

  /** The newest of a project. */
  lastOf(projectId: number): Block | undefined {
    return this.#lastOf.get(projectId);
  }

  add(block: Block, { words, length }: IdList): void {
    const hashes = Uint32Array.from({ length }, (_, i) => hashId(words, i, SEED));
    this.#blocks.set(block.id, { block, hashes });
    this.#lastOf.set(block.projectId, block);
    this.#events += length;
    if ((this.#used + length) * 2 > this.#slotBlocks.length) this.#remake();
    else this.#insert(block.id, hashes);
  }

  remove({ id, projectId }: Block): void {
    if (this.#lastOf.get(projectId)?.id === id) this.#lastOf.delete(projectId);
    this.#events -= this.#blocks.get(id)?.hashes.length ?? 0;
    this.#blocks.delete(id);
  }

  /** Adds those that may have the id at a place of `words`. */
  find(projectId: number, words: Uint32Array, at: number, found: Block[]): void {
    const hash = hashId(words, at, SEED);
    const last = this.#slotBlocks.length - 1;
    for (let slot = hash & last; this.#slotBlocks[slot] !== 0; slot = (slot + 1) & last) {
      if (this.#slotHashes[slot] !== hash) continue;
      const block = this.#blocks.get(this.#slotBlocks[slot] as number)?.block;
      if (block?.projectId === projectId) found.push(block);
    }
  }

  #remake(): void {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(MIN_SLOTS, this.#events * SLOTS_PER_ID)));
    this.#slotHashes = new Uint32Array(slots);
    this.#slotBlocks = new Uint32Array(slots);
    this.#used = 0;
    for (const [id, { hashes }] of this.#blocks) this.#insert(id, hashes);
  }

  #insert(id: number, hashes: Uint32Array): void {
    const last = this.#slotBlocks.length - 1;
    for (const hash of hashes) {
      let slot = hash & last;
      while (this.#slotBlocks[slot] !== 0) slot = (slot + 1) & last;
      this.#slotHashes[slot] = hash;
      this.#slotBlocks[slot] = id;
    }
    this.#used += hashes.length;
  }
}
