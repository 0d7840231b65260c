/** Statements that users ran are in the activity of the project: their text, never the values that were bound. */
import { recordActivity } from '../../access/record-activity.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/log.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

interface RecorderDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  log: Pick<Logger, 'warn'>;
}

interface RanStatement {
  projectId: number;
  userId: number;
  sql: string;
  /** `completed`, or the code of the refusal. */
  outcome: string;
  rows: number;
  ms: number;
}

export type RecordStatement = (ran: RanStatement) => void;

const MAX_TEXT_LENGTH = 1000;

/** Nobody waits for it: an answer is not held up by the log. */
export const statementRecorder =
  (deps: RecorderDeps): RecordStatement =>
  (ran) =>
    void record(deps, ran).catch((err: unknown) => deps.log.warn({ err }, 'a statement is not in the activity'));

async function record(deps: RecorderDeps, { projectId, userId, sql, outcome, rows, ms }: RanStatement): Promise<void> {
  await deps.metadata.transaction(async (store) => {
    const project = await store.projects.get(projectId);
    if (project === null) return;
    await recordActivity(deps, store, {
      organizationId: project.organizationId,
      projectId,
      userId,
      activity: 'query',
      scope: 'Query',
      itemId: deps.ids.uuid(),
      name: sql.slice(0, MAX_TEXT_LENGTH),
      changes: null,
      trigger: { outcome, rows, ms: Math.round(ms) },
    });
  });
}
