/** Removes what is too old: events past their retention, events of deleted projects, diagnostics, expired sessions and keys. */
import { DAY_MS, HOUR_MS } from '../core/time/units.ts';
import type { Clock } from '../lib/clock.ts';
import { type LeaderTask, scheduledTask } from '../lib/leader-task.ts';
import type { Logger } from '../lib/log.ts';
import type { IngestStore } from '../stores/ingest/ingest-store.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';

export interface DataRetentionDeps {
  metadata: Pick<
    MetadataStore,
    | 'projects'
    | 'sessions'
    | 'personalKeys'
    | 'transaction'
    | 'passwordResets'
    | 'throttles'
    | 'spentTokens'
    | 'queryUsage'
  >;
  ingest: Pick<IngestStore, 'deleteBefore'>;
  /** The number of events removed. */
  removeEventsBefore(projectId: number, time: number): Promise<number>;
  removeEvents(projectId: number): Promise<void>;
  /** Removes unfinished copies of the data that nobody works on any more. */
  removeLeftovers(): Promise<number>;
  /** For projects without a setting of their own; null keeps events forever. */
  eventsRetentionDays: number | null;
  auditDays: number;
  clock: Clock;
  logger: Logger;
}

/** For drops, warnings and query usage. */
const DIAGNOSTICS_RETENTION_DAYS = 30;
/** Until then they are listed as expired. */
const EXPIRED_KEY_DAYS = 90;
/** Events may still arrive in the event store for this long after their project was deleted. */
const DELETED_PROJECT_DAYS = 2;
const FIRST_RUN_DELAY_MS = 10_000;

export const dataRetention = (deps: DataRetentionDeps): LeaderTask =>
  scheduledTask({
    clock: deps.clock,
    initialDelayMs: FIRST_RUN_DELAY_MS,
    intervalMs: HOUR_MS,
    run: () => removeExpired(deps),
    onError: (err) => deps.logger.error({ err }, 'old data could not be removed; trying again in an hour'),
  });

/** Metadata first: it must not wait for an event store that is down. */
export async function removeExpired(deps: DataRetentionDeps): Promise<void> {
  const now = deps.clock.now();
  await deps.metadata.sessions.deleteExpired(now);
  await deps.metadata.passwordResets.deleteExpired(now);
  await deps.metadata.throttles.deleteExpired(now);
  await deps.metadata.personalKeys.deleteExpired(now - EXPIRED_KEY_DAYS * DAY_MS);
  await deps.metadata.transaction((store) => store.audit.removeBefore(now - deps.auditDays * DAY_MS));
  await deps.metadata.spentTokens.deleteExpired(now);
  await deps.removeLeftovers();
  await deps.ingest.deleteBefore(now - DIAGNOSTICS_RETENTION_DAYS * DAY_MS);
  await deps.metadata.queryUsage.deleteBefore(Math.floor(now / DAY_MS) - DIAGNOSTICS_RETENTION_DAYS + 1);
  await removeDeletedProjects(deps, now);
  for (const project of await deps.metadata.projects.listAll()) {
    const days = project.eventsRetentionDays ?? deps.eventsRetentionDays;
    if (days === null) continue;
    const removed = await deps.removeEventsBefore(project.id, now - days * DAY_MS);
    if (removed > 0) deps.logger.info({ project: project.id, removed, days }, 'removed events past their retention');
  }
}

async function removeDeletedProjects({ metadata, removeEvents }: DataRetentionDeps, now: number): Promise<void> {
  for (const { projectId, deletedAt } of await metadata.projects.listDeleted()) {
    await removeEvents(projectId);
    if (deletedAt < now - DELETED_PROJECT_DAYS * DAY_MS) await metadata.projects.clearDeleted(projectId);
  }
}
