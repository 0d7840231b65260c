import { afterAll } from 'vitest';
import { describeShares } from '../../../test/contract/shares.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { sharingFeature } from '../../features/sharing/index.ts';
import { tablesOf } from '../../runtime/features.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeShares('SQLite', () => openMigratedStore(folder.path(`${++files}.sqlite`), 0, tablesOf([sharingFeature])));
