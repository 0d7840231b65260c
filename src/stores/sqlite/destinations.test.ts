import { afterAll } from 'vitest';
import { describeDestinations } from '../../../test/contract/destinations.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { destinationsFeature } from '../../features/destinations/index.ts';
import { tablesOf } from '../../runtime/features.ts';
import { openMetadataStore } from './metadata-store.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeDestinations('SQLite', () =>
  openMetadataStore(folder.path(`${++files}.sqlite`), 0, tablesOf([destinationsFeature])),
);
