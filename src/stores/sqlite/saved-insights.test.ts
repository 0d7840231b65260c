import { afterAll } from 'vitest';
import { describeSavedInsights } from '../../../test/contract/saved-insights.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { dashboardsFeature } from '../../features/dashboards/index.ts';
import { tablesOf } from '../../runtime/features.ts';
import { openMetadataStore } from './metadata-store.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeSavedInsights('SQLite', () =>
  openMetadataStore(folder.path(`${++files}.sqlite`), 0, tablesOf([dashboardsFeature])),
);
