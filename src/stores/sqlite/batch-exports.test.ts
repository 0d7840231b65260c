import { afterAll } from 'vitest';
import { describeBatchExports } from '../../../test/contract/batch-exports.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { batchExportsFeature } from '../../features/batch-exports/index.ts';
import { tablesOf } from '../../runtime/features.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeBatchExports('SQLite', () =>
  openMigratedStore(folder.path(`${++files}.sqlite`), 0, tablesOf([batchExportsFeature])),
);
