/**
 * Goes through blocks of recent ids in the order of ids, a piece at a time. The blocks stay until all their ids are packed;
 * an id that is packed twice, because a crash came in between, is stored once.
 */
import type { EventId } from '../../ingest/ingest-store.ts';
import type { Sql } from '../tables.ts';
import { readBlocks, readIds, type SeenBlock } from './block-rows.ts';
import { type IdList, mergeIds, positionAfter, sliceIds, uuidAt } from './id-list.ts';

interface RecentPiece {
  lists: readonly (readonly [projectId: number, list: IdList])[];
  /** The last id of it. */
  last: EventId;
}

export class RecentPass {
  #blocks: readonly SeenBlock[];
  /** By project, in ascending order; null until they are read. */
  #lists: ReadonlyMap<number, IdList> | null = null;
  #after: EventId | null = null;

  constructor(blocks: readonly SeenBlock[]) {
    this.#blocks = blocks;
  }

  get blocks(): readonly SeenBlock[] {
    return this.#blocks;
  }

  /** The next ids, null after the last. In the transaction that packs them. */
  async next(on: Sql, limit: number): Promise<RecentPiece | null> {
    const lists: [number, IdList][] = [];
    let [left, last]: [number, EventId | null] = [limit, null];
    for (const [projectId, list] of await this.#currentLists(on)) {
      const from = this.#startIn(projectId, list);
      const to = Math.min(list.length, from + left);
      if (from >= to) continue;
      lists.push([projectId, sliceIds(list, from, to)]);
      last = { projectId, uuid: uuidAt(list, to - 1) };
      left -= to - from;
    }
    return last && { lists, last };
  }

  /** Once a piece is committed. */
  advance({ last }: RecentPiece): void {
    this.#after = last;
  }

  /** Once blocks are deleted, at the end. */
  dropBlocks(count: number): void {
    this.#blocks = this.#blocks.slice(count);
  }

  #startIn(projectId: number, list: IdList): number {
    if (this.#after === null || projectId > this.#after.projectId) return 0;
    return projectId < this.#after.projectId ? list.length : positionAfter(list, this.#after.uuid);
  }

  /** Reads again what others have changed: ids that were forgotten meanwhile must not come back. */
  async #currentLists(on: Sql): Promise<ReadonlyMap<number, IdList>> {
    const current = await readBlocks(
      on,
      this.#blocks.map(({ id }) => id),
    );
    const isSame =
      current.length === this.#blocks.length && current.every(({ events }, i) => events === this.#blocks[i]?.events);
    if (!isSame || this.#lists === null) this.#lists = await readLists(on, current);
    this.#blocks = current;
    return this.#lists;
  }
}

async function readLists(on: Sql, blocks: readonly SeenBlock[]): Promise<Map<number, IdList>> {
  const packed = await readIds(
    on,
    blocks.map(({ id }) => id),
  );
  const byProject = new Map<number, IdList[]>();
  for (const { id, projectId } of blocks) {
    const list = packed.get(id)?.unpack();
    if (list !== undefined) byProject.set(projectId, [...(byProject.get(projectId) ?? []), list]);
  }
  return new Map([...byProject].sort(([a], [b]) => a - b).map(([projectId, lists]) => [projectId, mergeAll(lists)]));
}

/** In pairs: one after the other, the first would be copied once for each. */
function mergeAll(lists: readonly IdList[]): IdList {
  const [first, second] = lists;
  if (first === undefined) throw new Error('There is nothing to merge.');
  if (second === undefined) return first;
  const half = lists.length >>> 1;
  return mergeIds(mergeAll(lists.slice(0, half)), mergeAll(lists.slice(half)));
}
