import { describeSubscriptions } from '../../../test/contract/subscriptions.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { subscriptionsFeature } from '../../features/subscriptions/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeSubscriptions('PostgreSQL', async () => {
    const { metadata, remove } = await openPostgresSetup(tablesOf([subscriptionsFeature]));
    return { metadata: { ...metadata, close: remove } };
  });
});
