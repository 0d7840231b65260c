import { afterAll } from 'vitest';
import { describeScheduledChanges } from '../../../test/contract/scheduled-changes.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { scheduledChangesFeature } from '../../features/scheduled-changes/index.ts';
import { tablesOf } from '../../runtime/features.ts';
import { openMetadataStore } from './metadata-store.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeScheduledChanges('SQLite', () =>
  openMetadataStore(folder.path(`${++files}.sqlite`), 0, tablesOf([scheduledChangesFeature])),
);
