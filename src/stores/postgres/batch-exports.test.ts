import { describeBatchExports } from '../../../test/contract/batch-exports.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { batchExportsFeature } from '../../features/batch-exports/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeBatchExports('PostgreSQL', async () => {
    const { metadata, ingest, remove } = await openPostgresSetup(tablesOf([batchExportsFeature]));
    return { metadata: { ...metadata, close: remove }, ingest };
  });
});
