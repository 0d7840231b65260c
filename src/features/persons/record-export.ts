import type { Caller } from '../../access/callers.ts';
import { recordAudit } from '../../access/record-audit.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

/** That persons of the project were exported, for the audit log. */
export const recordPersonExport = (
  deps: { metadata: MetadataStore; clock: Clock },
  caller: Caller,
  { id, organizationId }: Project,
): Promise<void> =>
  deps.metadata.transaction((store) =>
    recordAudit(deps, store, {
      organizationId,
      projectId: id,
      userId: caller.user.id,
      activity: 'exported',
      scope: 'Person',
      itemId: String(id),
      name: null,
      changes: null,
    }),
  );
