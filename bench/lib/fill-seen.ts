/** Fills a folder with the ids of events that were stored long ago: random ones (v4), in blocks, as packing leaves them. */
import { randomFillSync } from 'node:crypto';
import { sqliteDialect } from '../../src/stores/sql/dialect.ts';
import { insertBlock } from '../../src/stores/sql/seen/block-rows.ts';
import { type IdList, sliceIds, WORDS } from '../../src/stores/sql/seen/id-list.ts';
import { openSqliteDatabase } from '../../src/stores/sqlite/metadata-store.ts';

const BLOCK_IDS = 4096;
/** Half of what the levels hold before they are merged into the next. */
const LEVEL_IDS = [524_288, 4_194_304, Number.POSITIVE_INFINITY];
const BLOCKS_PER_TRANSACTION = 100;
const YEAR_MS = 365 * 24 * 3600 * 1000;

export async function fillWithIds(path: string, projectId: number, ids: number): Promise<void> {
  const db = openSqliteDatabase(path);
  let left = ids;
  for (const [i, most] of LEVEL_IDS.entries()) {
    const blocks = Math.ceil(Math.min(left, most) / BLOCK_IDS);
    for (let from = 0; from < blocks; from += BLOCKS_PER_TRANSACTION) {
      await db.transaction().execute(async (tx) => {
        for (let block = from; block < Math.min(blocks, from + BLOCKS_PER_TRANSACTION); block++) {
          const list = randomIds(Math.min(BLOCK_IDS, left - block * BLOCK_IDS), block / blocks, (block + 1) / blocks);
          await insertBlock({ db: tx, dialect: sqliteDialect }, projectId, i + 1, list);
        }
      });
    }
    left -= Math.min(left, blocks * BLOCK_IDS);
  }
  await db.destroy();
}

/** `from` and `to`: which part of all ids, from 0 to 1. Processed within the last year. */
function randomIds(length: number, from: number, to: number): IdList {
  const words = new Uint32Array(length * WORDS);
  randomFillSync(words);
  const first = Float64Array.from({ length }, () => Math.floor((from + Math.random() * (to - from)) * 2 ** 32)).sort();
  let kept = 0;
  for (let id = 0; id < length; id++) {
    if (id > 0 && first[id] === first[id - 1]) continue;
    words[kept * WORDS] = first[id] as number;
    words[kept * WORDS + 1] = ((words[kept * WORDS + 1] as number) & ~0xf000) | 0x4000;
    kept++;
  }
  const now = Date.now();
  const processedAt = Float64Array.from({ length }, () => now - Math.random() * YEAR_MS);
  return sliceIds({ length, words, processedAt, waited: new Float64Array(length) }, 0, kept);
}
