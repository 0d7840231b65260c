import { recordAudit } from '../../access/record-audit.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

/** That persons or events of the project were exported, for the audit log. `userId`: null for the operator. */
export const recordExport = (
  deps: { metadata: MetadataStore; clock: Clock },
  userId: number | null,
  { id, organizationId }: Project,
  scope: 'Person' | 'Event' = 'Person',
): Promise<void> =>
  deps.metadata.transaction((store) =>
    recordAudit(deps, store, {
      organizationId,
      projectId: id,
      userId,
      activity: 'exported',
      scope,
      itemId: String(id),
      name: null,
      changes: null,
    }),
  );
