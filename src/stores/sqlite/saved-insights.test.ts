import { afterAll } from 'vitest';
import { describeSavedInsights } from '../../../test/contract/saved-insights.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { dashboardsFeature } from '../../features/dashboards/index.ts';
import { tablesOf } from '../../runtime/features.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeSavedInsights('SQLite', () =>
  openMigratedStore(folder.path(`${++files}.sqlite`), 0, tablesOf([dashboardsFeature])),
);
