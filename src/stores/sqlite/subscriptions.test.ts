import { afterAll } from 'vitest';
import { describeSubscriptions } from '../../../test/contract/subscriptions.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { subscriptionsFeature } from '../../features/subscriptions/index.ts';
import { tablesOf } from '../../runtime/features.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeSubscriptions('SQLite', () =>
  openMigratedStore(folder.path(`${++files}.sqlite`), 0, tablesOf([subscriptionsFeature])),
);
