import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { AuditWebhookDeps } from '../audit-webhook.ts';

export interface AuditApiDeps extends RouteDeps, Omit<AuditWebhookDeps, 'config'> {
  config: RouteDeps['config'] & AuditWebhookDeps['config'];
}
