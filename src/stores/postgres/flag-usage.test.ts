import { describeFlagUsage } from '../../../test/contract/flag-usage.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { flagsFeature } from '../../features/flags/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeFlagUsage('PostgreSQL', async () => {
    const { metadata, remove } = await openPostgresSetup(tablesOf([flagsFeature]));
    return { metadata: { ...metadata, close: remove } };
  });
});
