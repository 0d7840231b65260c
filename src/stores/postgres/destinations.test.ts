import { describeDestinations } from '../../../test/contract/destinations.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { destinationsFeature } from '../../features/destinations/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeDestinations('PostgreSQL', async () => {
    const { metadata, ingest, remove } = await openPostgresSetup(tablesOf([destinationsFeature]));
    return { metadata: { ...metadata, close: remove }, ingest };
  });
});
