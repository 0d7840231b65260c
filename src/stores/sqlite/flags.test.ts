import { afterAll } from 'vitest';
import { describeFlagStores } from '../../../test/contract/flags.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeFlagStores('SQLite', async () => (await openMigratedStore(folder.path(`${++files}.sqlite`))).metadata);
