import { describeSavedInsights } from '../../../test/contract/saved-insights.ts';
import { openPostgresPlace } from '../../../test/support/postgres.ts';

describeSavedInsights('PostgreSQL', async () => {
  const { metadata, ingest, remove } = await openPostgresPlace();
  return { metadata: { ...metadata, close: remove }, ingest };
});
