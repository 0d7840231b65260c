/** The audit log. */
import type { Static } from '@sinclair/typebox';
import type { AuditEntrySchema } from '../../../src/features/audit/api/audit-schemas.ts';
import type {
  AuditWebhookChangeSchema,
  AuditWebhookSchema,
} from '../../../src/features/audit/api/audit-webhook-schemas.ts';
import type { Delivery } from './alerts.ts';
import { get, type Paged, patch, post, type Query, remove } from './request.ts';

export type AuditEntry = Static<typeof AuditEntrySchema>;

export const auditPath = (organizationId: string): string => `/api/organizations/${organizationId}/audit/`;

export const listAudit = (
  organizationId: string,
  query: Query,
  signal?: AbortSignal,
): Promise<{ count: number; results: AuditEntry[] }> => get(auditPath(organizationId), query, signal);

export type AuditWebhook = Static<typeof AuditWebhookSchema>;

const webhookPath = (organizationId: string, rest = ''): string =>
  `/api/organizations/${organizationId}/audit_webhook/${rest}`;

export const getAuditWebhook = (organizationId: string, signal?: AbortSignal): Promise<AuditWebhook> =>
  get<AuditWebhook>(webhookPath(organizationId), undefined, signal);
export const saveAuditWebhook = (
  organizationId: string,
  change: Static<typeof AuditWebhookChangeSchema>,
): Promise<AuditWebhook> => patch<AuditWebhook>(webhookPath(organizationId), change);
export const removeAuditWebhook = (organizationId: string): Promise<void> => remove(webhookPath(organizationId));
export const testAuditWebhook = (organizationId: string): Promise<void> => post(webhookPath(organizationId, 'test/'));
export const retryAuditWebhook = (organizationId: string): Promise<{ retried: number }> =>
  post(webhookPath(organizationId, 'retry/'));
export const listAuditDeliveries = (
  organizationId: string,
  query: Query,
  signal?: AbortSignal,
): Promise<Paged<Delivery>> => get<Paged<Delivery>>(webhookPath(organizationId, 'deliveries/'), query, signal);
