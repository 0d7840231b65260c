import { afterAll } from 'vitest';
import { describeFlagUsage } from '../../../test/contract/flag-usage.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { flagsFeature } from '../../features/flags/index.ts';
import { tablesOf } from '../../runtime/features.ts';
import { openMetadataStore } from './metadata-store.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeFlagUsage('SQLite', () => openMetadataStore(folder.path(`${++files}.sqlite`), 0, tablesOf([flagsFeature])));
