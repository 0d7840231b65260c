import { openPostgresPlace } from '../../../test/support/postgres.ts';
import { describeSavedInsights } from '../contract/saved-insights.ts';

describeSavedInsights('PostgreSQL', async () => {
  const { metadata, ingest, remove } = await openPostgresPlace();
  return { metadata: { ...metadata, close: remove }, ingest };
});
