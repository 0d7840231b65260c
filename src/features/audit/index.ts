import type { Logger } from '../../lib/log.ts';
import type { Feature } from '../feature.ts';
import { activityLogRoutes } from './api/activity-log-routes.ts';
import { auditRoutes } from './api/audit-routes.ts';
import { auditWebhookRoutes } from './api/audit-webhook-routes.ts';
import type { AuditApiDeps } from './api/deps.ts';
import { AuditForwarder } from './forward-audit.ts';
import { auditWebhookStore } from './store/audit-webhook-store.ts';

export const auditFeature: Feature<AuditApiDeps & { log: Logger }> = {
  name: 'audit',
  api(app, deps) {
    activityLogRoutes(app, deps);
    auditRoutes(app, deps);
    auditWebhookRoutes(app, deps);
  },
  stores: { auditWebhooks: auditWebhookStore },
  leaderTasks: ({ metadata, clock, log }) => [new AuditForwarder({ metadata, clock, logger: log })],
};
