import { afterAll } from 'vitest';
import { describeEarlyAccess } from '../../../test/contract/early-access.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { earlyAccessFeature } from '../../features/early-access/index.ts';
import { tablesOf } from '../../runtime/features.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeEarlyAccess('SQLite', () =>
  openMigratedStore(folder.path(`${++files}.sqlite`), 0, tablesOf([earlyAccessFeature])),
);
