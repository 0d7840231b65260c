import { afterAll } from 'vitest';
import { describeScheduledChanges } from '../../../test/contract/scheduled-changes.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { scheduledChangesFeature } from '../../features/scheduled-changes/index.ts';
import { tablesOf } from '../../runtime/features.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeScheduledChanges('SQLite', () =>
  openMigratedStore(folder.path(`${++files}.sqlite`), 0, tablesOf([scheduledChangesFeature])),
);
