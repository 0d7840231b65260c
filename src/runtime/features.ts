/**
 * Every feature of the server. Routes, tables, migrations, project deletion and leader tasks follow from this list; what
 * features do on the worker thread is in `worker-features.ts`.
 */
import { accountsFeature } from '../features/accounts/index.ts';
import { actionsFeature } from '../features/actions/index.ts';
import { alertsFeature } from '../features/alerts/index.ts';
import { annotationsFeature } from '../features/annotations/index.ts';
import { approvalsFeature } from '../features/approvals/index.ts';
import { auditFeature } from '../features/audit/index.ts';
import { batchExportsFeature } from '../features/batch-exports/index.ts';
import { captureFeature } from '../features/capture/index.ts';
import { cohortsFeature } from '../features/cohorts/index.ts';
import { dashboardsFeature } from '../features/dashboards/index.ts';
import { definitionsFeature } from '../features/definitions/index.ts';
import { deliveriesFeature } from '../features/deliveries/index.ts';
import { demoFeature } from '../features/demo/index.ts';
import { destinationsFeature } from '../features/destinations/index.ts';
import { earlyAccessFeature } from '../features/early-access/index.ts';
import { eventsFeature } from '../features/events/index.ts';
import { experimentsFeature } from '../features/experiments/index.ts';
import type { Feature } from '../features/feature.ts';
import { flagsFeature } from '../features/flags/index.ts';
import { groupsFeature } from '../features/groups/index.ts';
import { insightsFeature } from '../features/insights/index.ts';
import { mcpFeature } from '../features/mcp/index.ts';
import { personsFeature } from '../features/persons/index.ts';
import { promotionFeature } from '../features/promotion/index.ts';
import { scheduledChangesFeature } from '../features/scheduled-changes/index.ts';
import { sdkFeature } from '../features/sdk/index.ts';
import { sharingFeature } from '../features/sharing/index.ts';
import { sqlFeature } from '../features/sql/index.ts';
import { subscriptionsFeature } from '../features/subscriptions/index.ts';
import { webAnalyticsFeature } from '../features/web-analytics/index.ts';
import { webhooksFeature } from '../features/webhooks/index.ts';
import type { FeatureTables } from '../stores/sql/feature-tables.ts';
import type { AppDeps } from './app-deps.ts';

export type AppFeature = Feature<AppDeps>;

/** In the order of the API's documentation. */
export const FEATURES: readonly AppFeature[] = [
  accountsFeature,
  auditFeature,
  eventsFeature,
  definitionsFeature,
  groupsFeature,
  personsFeature,
  flagsFeature,
  scheduledChangesFeature,
  promotionFeature,
  approvalsFeature,
  earlyAccessFeature,
  experimentsFeature,
  insightsFeature,
  sqlFeature,
  webAnalyticsFeature,
  cohortsFeature,
  dashboardsFeature,
  annotationsFeature,
  alertsFeature,
  subscriptionsFeature,
  deliveriesFeature,
  destinationsFeature,
  batchExportsFeature,
  sharingFeature,
  actionsFeature,
  demoFeature,
  captureFeature,
  sdkFeature,
  webhooksFeature,
  mcpFeature,
];

export const tablesOf = (features: readonly Partial<FeatureTables>[]): FeatureTables => ({
  stores: Object.assign({}, ...features.map(({ stores }) => stores)),
  migrations: features.flatMap(({ migrations = [] }) => migrations),
  projectTables: features.flatMap(({ projectTables = [] }) => projectTables),
});
