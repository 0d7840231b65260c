/** The audit log. */
import type { Static } from '@sinclair/typebox';
import type { AuditEntrySchema } from '../../../src/features/audit/api/audit-schemas.ts';
import { get, type Query } from './request.ts';

export type AuditEntry = Static<typeof AuditEntrySchema>;

export const auditPath = (organizationId: string): string => `/api/organizations/${organizationId}/audit/`;

export const listAudit = (
  organizationId: string,
  query: Query,
  signal?: AbortSignal,
): Promise<{ count: number; results: AuditEntry[] }> => get(auditPath(organizationId), query, signal);
