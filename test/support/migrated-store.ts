import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { DATA_FILES } from '../../src/stores/data-files.ts';
import { openMetadataStore, type SqliteStores } from '../../src/stores/sqlite/metadata-store.ts';

/**
 * The metadata store in a new file, or the one that is there. New files are copies of one that was migrated once per run:
 * migrations would take far longer than most tests of a store.
 */
export async function openMigratedStore(
  path: string,
  now: Parameters<typeof openMetadataStore>[1] = 0,
  own?: Parameters<typeof openMetadataStore>[2],
): Promise<SqliteStores> {
  if (!existsSync(path)) copyFileSync(join(inject('migratedFolder'), DATA_FILES.metadata), path);
  return openMetadataStore(path, now, own);
}
