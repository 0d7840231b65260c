import { afterAll } from 'vitest';
import { describeEarlyAccess } from '../../../test/contract/early-access.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { earlyAccessFeature } from '../../features/early-access/index.ts';
import { tablesOf } from '../../runtime/features.ts';
import { openMetadataStore } from './metadata-store.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeEarlyAccess('SQLite', () =>
  openMetadataStore(folder.path(`${++files}.sqlite`), 0, tablesOf([earlyAccessFeature])),
);
