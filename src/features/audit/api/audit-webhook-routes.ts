/** Where the audit log is sent. Reading needs the scope of the log; a change needs a session, or a key without limits. */
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { FULL_KEY } from '../../../core/scopes.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { organizationRoute } from '../../../http/api/route.ts';
import { envelope, queryChoice, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { ADMIN } from '../../../stores/metadata/accounts.ts';
import { DeliverySchema, presentDelivery } from '../../deliveries/api/delivery-schemas.ts';
import { DELIVERY_STATES, NO_PROJECT } from '../../deliveries/rules/delivery-kinds.ts';
import { organizationTargetHash } from '../../deliveries/rules/delivery-target.ts';
import { removeAuditWebhook, retryAuditWebhook, saveAuditWebhook, testAuditWebhook } from '../audit-webhook.ts';
import { aboutAudit, targetOf } from '../forward-audit.ts';
import { AuditWebhookChangeSchema, AuditWebhookSchema, presentAuditWebhook } from './audit-webhook-schemas.ts';
import type { AuditApiDeps } from './deps.ts';

const READ = {
  url: '/api/organizations/:organization_id/audit_webhook/',
  tag: 'organizations',
  scope: 'activity_log',
  level: ADMIN,
} as const;
const WRITE = { ...READ, scope: FULL_KEY } as const;

export function auditWebhookRoutes(app: FastifyInstance, deps: AuditApiDeps): void {
  const { metadata, clock } = deps;
  const show = async (organizationId: string, secret: string | null = null) => {
    const webhook = await metadata.auditWebhooks.get(organizationId);
    const {
      waiting = 0,
      sending = 0,
      failed = 0,
      skipped = 0,
    } = await metadata.deliveries.countStates(aboutAudit(organizationId));
    const hash = webhook && organizationTargetHash(organizationId, targetOf(webhook, clock.now()));
    return presentAuditWebhook(webhook, {
      secret,
      paused: hash === null ? null : await metadata.deliveries.pausedReason(NO_PROJECT, hash),
      waiting: waiting + sending,
      failed: failed + skipped,
      users: await usersById(metadata, [webhook?.createdBy ?? null]),
    });
  };
  organizationRoute(app, deps, {
    ...READ,
    method: 'GET',
    summary: 'Where the entries of the audit log are sent, and whether they arrive',
    response: AuditWebhookSchema,
    handler: ({ organization }) => show(organization.id),
  });
  organizationRoute(app, deps, {
    ...WRITE,
    method: 'PATCH',
    summary: 'Send every entry of the audit log to an address, signed; a new secret is in this response only',
    body: AuditWebhookChangeSchema,
    response: AuditWebhookSchema,
    handler: async ({ caller, organization, body }) => {
      const given = { url: body.url, rollSecret: body.roll_secret };
      const { secret } = await saveAuditWebhook(deps, caller, organization, given);
      return show(organization.id, secret);
    },
  });
  organizationRoute(app, deps, {
    ...WRITE,
    method: 'DELETE',
    summary: 'Send no more entries of the audit log; the address gets the entry that says so',
    status: 204,
    handler: ({ caller, organization }) => removeAuditWebhook(deps, caller, organization),
  });
  organizationRoute(app, deps, {
    ...WRITE,
    method: 'POST',
    url: `${WRITE.url}test/`,
    summary: 'Send a test message',
    status: 204,
    handler: ({ organization }) => testAuditWebhook(deps, organization),
  });
  organizationRoute(app, deps, {
    ...WRITE,
    method: 'POST',
    url: `${WRITE.url}retry/`,
    summary: 'Send everything again that could not be delivered',
    response: Type.Object({ retried: Type.Integer() }),
    handler: async ({ organization }) => ({ retried: await retryAuditWebhook(deps, organization) }),
  });
  organizationRoute(app, deps, {
    ...READ,
    method: 'GET',
    url: `${READ.url}deliveries/`,
    summary: 'Messages of the last 30 days, the newest first, with every attempt to deliver them',
    query: {
      ...PAGE_QUERY,
      state: '`waiting`, `sending`, `sent`, `failed` or `skipped`.',
    },
    response: pageSchema(DeliverySchema),
    handler: async ({ organization, query, url }) => {
      const page = readPage(query);
      const { projectId, kind, subjectId } = aboutAudit(organization.id);
      const state = queryChoice(query, 'state', DELIVERY_STATES);
      const found = await metadata.deliveries.list(projectId, { kinds: [kind], subjectId, state }, page);
      return envelope(url, page, found, (delivery) => presentDelivery(delivery, true));
    },
  });
}
