/**
 * What is too old goes: events past their project's retention or of a project that is gone, notes about what was dropped
 * and asked for, sessions that ended.
 */
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { type Schedule, startSchedule } from '../lib/schedule.ts';
import type { IngestStore } from '../stores/ingest/ingest-store.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';

export interface HousekeepingDeps {
  metadata: Pick<MetadataStore, 'projects' | 'sessions' | 'queryUsage'>;
  ingest: Pick<IngestStore, 'prune'>;
  /** Removes a project's events that happened before a time; says how many. */
  removeEventsBefore(projectId: number, time: number): Promise<number>;
  removeEvents(projectId: number): Promise<void>;
  /** For projects without a setting of their own; null keeps events for ever. */
  eventsRetentionDays: number | null;
  clock: Clock;
  logger: Logger;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Drops and warnings are for finding out what went wrong lately; what was asked for counts as long. */
const NOTES_DAYS = 30;
/** So long, something may turn up that was on its way to the event store when its project was deleted. */
const GONE_DAYS = 2;
/** A start has more urgent things to do. */
const FIRST_AFTER_MS = 10_000;

export function startHousekeeping(deps: HousekeepingDeps): Schedule {
  return startSchedule({
    clock: deps.clock,
    firstAfterMs: FIRST_AFTER_MS,
    everyMs: HOUR_MS,
    run: () => tidy(deps),
    onError: (err) => deps.logger.error({ err }, 'old data could not be removed; it is tried again in an hour'),
  });
}

/** The small things first: they must not wait for an event store that is away. */
export async function tidy(deps: HousekeepingDeps): Promise<void> {
  const now = deps.clock.now();
  await deps.metadata.sessions.removeExpired(now);
  await deps.ingest.prune(now - NOTES_DAYS * DAY_MS);
  await deps.metadata.queryUsage.prune(Math.floor(now / DAY_MS) - NOTES_DAYS + 1);
  await removeStragglers(deps, now);
  for (const project of await deps.metadata.projects.all()) {
    const days = project.eventsRetentionDays ?? deps.eventsRetentionDays;
    if (days === null) continue;
    const removed = await deps.removeEventsBefore(project.id, now - days * DAY_MS);
    if (removed > 0) deps.logger.info({ project: project.id, removed, days }, 'removed events past their retention');
  }
}

async function removeStragglers({ metadata, removeEvents }: HousekeepingDeps, now: number): Promise<void> {
  for (const { projectId, goneAt } of await metadata.projects.gone()) {
    await removeEvents(projectId);
    if (goneAt < now - GONE_DAYS * DAY_MS) await metadata.projects.forgetGone(projectId);
  }
}
