import { afterAll } from 'vitest';
import { describeShares } from '../../../test/contract/shares.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { sharingFeature } from '../../features/sharing/index.ts';
import { tablesOf } from '../../runtime/features.ts';
import { openMetadataStore } from './metadata-store.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeShares('SQLite', () => openMetadataStore(folder.path(`${++files}.sqlite`), 0, tablesOf([sharingFeature])));
