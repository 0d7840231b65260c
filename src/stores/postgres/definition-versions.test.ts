import { describeDefinitionVersions } from '../../../test/contract/definition-versions.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { flagsFeature } from '../../features/flags/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeDefinitionVersions('PostgreSQL', async () => {
    const { metadata, remove } = await openPostgresSetup(tablesOf([flagsFeature]));
    return { metadata: { ...metadata, close: remove } };
  });
});
