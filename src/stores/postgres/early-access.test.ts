import { describeEarlyAccess } from '../../../test/contract/early-access.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { earlyAccessFeature } from '../../features/early-access/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeEarlyAccess('PostgreSQL', async () => {
    const { metadata, remove } = await openPostgresSetup(tablesOf([earlyAccessFeature]));
    return { metadata: { ...metadata, close: remove } };
  });
});
