/**
 * How ids are added to a level of blocks: each to the block it falls into, or to the one that follows it; what comes after
 * all blocks gets new ones. Only blocks that get ids are written again, so ids in the order of time cost nothing extra.
 */
import type { Sql } from '../tables.ts';
import type { BlockChanges, BlockIndex } from './block-index.ts';
import { deleteSeenBlocks, insertBlock, readIds, type SeenBlock } from './block-rows.ts';
import { type IdList, mergeIds, positionAfter, sliceIds, uuidAt } from './id-list.ts';

/** The ids from `from` to `to` go to `block`; null: to a new one. */
interface Addition {
  block: SeenBlock | null;
  from: number;
  to: number;
}

export function planAdditions(
  index: BlockIndex,
  { projectId, level }: Pick<SeenBlock, 'projectId' | 'level'>,
  list: IdList,
  blockSize: number,
): Addition[] {
  const additions: Addition[] = [];
  let from = 0;
  for (const block of index.from(projectId, level, uuidAt(list, 0))) {
    if (from === list.length) break;
    const to = positionAfter(list, block.lastUuid);
    if (to > from) additions.push({ block, from, to });
    from = Math.max(from, to);
  }
  if (from < list.length)
    additions.push({ block: smallLastBlock(index, projectId, level, blockSize), from, to: list.length });
  return joinSameBlock(additions);
}

/** The last block takes more ids until it is half full: otherwise there would be ever more small ones. */
function smallLastBlock(index: BlockIndex, projectId: number, level: number, blockSize: number): SeenBlock | null {
  const last = index.lastOf(projectId, level);
  return last !== undefined && last.events * 2 < blockSize ? last : null;
}

function joinSameBlock(additions: readonly Addition[]): Addition[] {
  const joined: Addition[] = [];
  for (const addition of additions) {
    const last = joined.at(-1);
    if (last?.block != null && last.block === addition.block) last.to = addition.to;
    else joined.push({ ...addition });
  }
  return joined;
}

export async function addToLevel(
  on: Sql,
  { projectId, level }: Pick<SeenBlock, 'projectId' | 'level'>,
  list: IdList,
  additions: readonly Addition[],
  blockSize: number,
): Promise<BlockChanges> {
  const changes: BlockChanges = { removed: [], added: [] };
  for (const { block, from, to } of additions) {
    let ids = sliceIds(list, from, to);
    if (block !== null) {
      const known = (await readIds(on, [block.id])).get(block.id);
      if (known !== undefined) ids = mergeIds(known.unpack(), ids);
      await deleteSeenBlocks(on, [block.id]);
      changes.removed.push(block.id);
    }
    for (const part of evenParts(ids, blockSize)) changes.added.push(await insertBlock(on, projectId, level, part));
  }
  return changes;
}

function* evenParts(list: IdList, blockSize: number): Generator<IdList> {
  const parts = Math.ceil(list.length / blockSize);
  for (let part = 0; part < parts; part++) {
    const at = (n: number): number => Math.floor((list.length * n) / parts);
    yield sliceIds(list, at(part), at(part + 1));
  }
}
