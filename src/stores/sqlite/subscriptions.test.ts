import { afterAll } from 'vitest';
import { describeSubscriptions } from '../../../test/contract/subscriptions.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { subscriptionsFeature } from '../../features/subscriptions/index.ts';
import { tablesOf } from '../../runtime/features.ts';
import { openMetadataStore } from './metadata-store.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeSubscriptions('SQLite', () =>
  openMetadataStore(folder.path(`${++files}.sqlite`), 0, tablesOf([subscriptionsFeature])),
);
