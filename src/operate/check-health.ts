/** The health of a server, from the inside. */

import type { UnknownOrganization } from '../features/accounts/oidc/sso-domains.ts';
import type { IngestCounts } from '../ingest/track/ingest-counts.ts';
import type { StoreCheck } from '../stores/folder-snapshots.ts';
import type { BrokenAudit } from '../stores/metadata/audit.ts';
import { type EventLoss, readOpenLosses } from '../stores/metadata/event-losses.ts';
import { LAST_BACKUP, LAST_BACKUP_FILE } from './backup/backup.ts';
import type { Operation } from './operation.ts';

export interface Health {
  stores: StoreCheck[];
  counts: IngestCounts;
  losses: EventLoss[];
  /** Where the audit log is not as it was written. */
  broken_audit: BrokenAudit[];
  /** Settings of single sign-on that name an organization which does not exist. */
  unknown_organizations: UnknownOrganization[];
  last_backup_at: string | null;
  last_backup_file: string | null;
  /** The server's clock, ms. */
  now: number;
  /** The latest arrival of a stored event, ms; null where there is none. */
  latest_event_at: number | null;
}

export const checkHealth: Operation<object, Health> = async (deps, _args, outlet) => {
  outlet.progress({ what: 'reading every store', done: 0, total: null });
  const stores = await deps.checkStores();
  const isReadable = stores.every(({ problem }) => problem === null);
  const [row] = isReadable ? await deps.events.query('select max(created_at) as latest from event_rows', []) : [];
  return {
    stores,
    counts: await deps.counts(),
    losses: await readOpenLosses(deps.metadata.installation),
    broken_audit: isReadable ? await deps.metadata.audit.findBroken() : [],
    unknown_organizations: isReadable ? await deps.unknownOrganizations() : [],
    last_backup_at: await deps.metadata.installation.get(LAST_BACKUP),
    last_backup_file: await deps.metadata.installation.get(LAST_BACKUP_FILE),
    now: deps.clock.now(),
    latest_event_at: typeof row?.['latest'] === 'number' ? row['latest'] : null,
  };
};

/** The audit log alone, which takes less time. */
export const checkAuditLog: Operation<object, Pick<Health, 'broken_audit'>> = async ({ metadata }) => ({
  broken_audit: await metadata.audit.findBroken(),
});
