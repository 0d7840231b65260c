import { describeAlerts } from '../../../test/contract/alerts.ts';
import { describeWithPostgres, openPostgresSetup } from '../../../test/support/postgres.ts';
import { alertsFeature } from '../../features/alerts/index.ts';
import { deliveriesFeature } from '../../features/deliveries/index.ts';
import { tablesOf } from '../../runtime/features.ts';

describeWithPostgres(() => {
  describeAlerts('PostgreSQL', async () => {
    const { metadata, remove } = await openPostgresSetup(tablesOf([alertsFeature, deliveriesFeature]));
    return { metadata: { ...metadata, close: remove } };
  });
});
