import { describeScheduledChanges } from '../../../test/contract/scheduled-changes.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { scheduledChangesFeature } from '../../features/scheduled-changes/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeScheduledChanges('PostgreSQL', async () => {
    const { metadata, remove } = await openPostgresSetup(tablesOf([scheduledChangesFeature]));
    return { metadata: { ...metadata, close: remove } };
  });
});
