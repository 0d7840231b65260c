import { describeShares } from '../../../test/contract/shares.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { sharingFeature } from '../../features/sharing/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeShares('PostgreSQL', async () => {
    const { metadata, remove } = await openPostgresSetup(tablesOf([sharingFeature]));
    return { metadata: { ...metadata, close: remove } };
  });
});
