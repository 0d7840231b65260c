import { describeSavedInsights } from '../../../test/contract/saved-insights.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { dashboardsFeature } from '../../features/dashboards/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeSavedInsights('PostgreSQL', async () => {
    const { metadata, ingest, remove } = await openPostgresSetup(tablesOf([dashboardsFeature]));
    return { metadata: { ...metadata, close: remove }, ingest };
  });
});
