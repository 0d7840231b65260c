import { afterAll } from 'vitest';
import { describeAlerts } from '../../../test/contract/alerts.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { alertsFeature } from '../../features/alerts/index.ts';
import { deliveriesFeature } from '../../features/deliveries/index.ts';
import { tablesOf } from '../../runtime/features.ts';
import { openMetadataStore } from './metadata-store.ts';

const folder = makeTempDir();
afterAll(() => folder.remove());

let files = 0;
describeAlerts('SQLite', () =>
  openMetadataStore(folder.path(`${++files}.sqlite`), 0, tablesOf([alertsFeature, deliveriesFeature])),
);
