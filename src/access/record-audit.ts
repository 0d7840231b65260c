/** The audit log: who did what, when, from where and with which key or session. Written in the transaction of the change. */
import type { Json } from '../core/json/json.ts';
import type { Clock } from '../lib/clock.ts';
import type { ActivityChange } from '../stores/metadata/accounts.ts';
import type { AuditChange } from '../stores/metadata/audit.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import { currentOrigin } from './request-origin.ts';

interface AuditRecord {
  organizationId: string;
  projectId: number | null;
  /** Null: the system. */
  userId: number | null;
  activity: string;
  scope: string;
  itemId: string;
  name: string | null;
  changes: ActivityChange[] | null;
  /** The shortened address of somebody who has only just signed in, or tried to. */
  from?: Json | undefined;
}

/** Where values say who may do what. Of everything else only the names of fields are kept: values may be personal. */
const SCOPES_WITH_VALUES = new Set([
  'OrganizationMembership',
  'OrganizationInvite',
  'OrganizationDomain',
  'OrganizationResourceAccess',
  'PersonalAPIKey',
  'Role',
]);

/** Their names come with events, and persons have to be erasable. */
const SCOPES_WITHOUT_NAME = new Set(['Person', 'Group', 'EventDefinition', 'PropertyDefinition', 'Annotation']);

export async function recordAudit(
  { clock }: { clock: Clock },
  store: MetadataStore,
  { name, changes, from, ...record }: AuditRecord,
): Promise<void> {
  await store.audit.append({
    ...record,
    detail: {
      name: SCOPES_WITHOUT_NAME.has(record.scope) ? null : name,
      changes: changes?.map((change) => shortenChange(record.scope, change)) ?? null,
      origin: currentOrigin() ?? (typeof from === 'string' ? { via: 'sign_in', address: from } : null),
    },
    createdAt: clock.now(),
  });
}

const shortenChange = (scope: string, { field, action, before, after }: ActivityChange): AuditChange => ({
  field,
  action,
  ...(SCOPES_WITH_VALUES.has(scope) ? { before, after } : {}),
});
