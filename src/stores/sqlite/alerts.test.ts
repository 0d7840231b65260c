import { afterAll } from 'vitest';
import { describeAlerts } from '../../../test/contract/alerts.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { alertsFeature } from '../../features/alerts/index.ts';
import { deliveriesFeature } from '../../features/deliveries/index.ts';
import { tablesOf } from '../../runtime/features.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeAlerts('SQLite', () =>
  openMigratedStore(folder.path(`${++files}.sqlite`), 0, tablesOf([alertsFeature, deliveriesFeature])),
);
