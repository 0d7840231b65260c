/** An entry of the audit log, as the API and the webhook give it. */
import { iso } from '../../core/time/iso.ts';
import type { User } from '../../stores/metadata/accounts.ts';
import type { AuditEntry } from '../../stores/metadata/audit.ts';

export function presentAuditEntry(entry: AuditEntry, users: ReadonlyMap<number, User>) {
  const { detail } = entry;
  const user = entry.userId === null ? undefined : users.get(entry.userId);
  return {
    number: entry.number,
    created_at: iso(entry.createdAt),
    user: user ? { uuid: user.uuid, first_name: user.firstName, email: user.email } : null,
    activity: entry.activity,
    scope: entry.scope,
    item_id: entry.itemId,
    name: detail.name,
    project_id: entry.projectId,
    changes: detail.changes,
    via: detail.origin?.via ?? 'system',
    key: detail.origin?.key ?? null,
    session: detail.origin?.session ?? null,
    client: detail.origin?.client ?? null,
    address: detail.origin?.address ?? null,
    hash: entry.hash,
  };
}

export type PresentedEntry = ReturnType<typeof presentAuditEntry>;
