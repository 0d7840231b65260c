import type { Feature } from '../feature.ts';
import { auditRoutes } from './api/audit-routes.ts';
import type { AuditApiDeps } from './api/deps.ts';

export const auditFeature: Feature<AuditApiDeps> = {
  name: 'audit',
  api: auditRoutes,
};
