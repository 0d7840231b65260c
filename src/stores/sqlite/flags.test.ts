import { afterAll } from 'vitest';
import { describeFlagStores } from '../../../test/contract/flags.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMetadataStore } from './metadata-store.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeFlagStores('SQLite', async () => (await openMetadataStore(folder.path(`${++files}.sqlite`), 0)).metadata);
