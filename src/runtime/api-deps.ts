import type { KeyGuard } from '../access/key-guard.ts';
import type { ProjectDirectory } from '../access/project-directory.ts';
import type { Config } from '../config.ts';
import type { Sessions } from '../features/accounts/sessions.ts';
import type { SignInGuard } from '../features/accounts/sign-in-guard.ts';
import type { CohortCalculations } from '../features/cohorts/cohort-calculations.ts';
import type { DemoData } from '../features/demo/demo-data.ts';
import type { DecideDeps } from '../features/flags/decide/decide.ts';
import type { FlagSnapshots } from '../features/flags/decide/flag-snapshots.ts';
import type { QueryUsage } from '../features/insights/query-usage.ts';
import type { ResultCache } from '../features/insights/result-cache.ts';
import type { DeletePersonDeps } from '../features/persons/delete/delete-person.ts';
import type { EventIntake } from '../ingest/accept/event-intake.ts';
import type { LiveEventSubscriptions } from '../ingest/live/live-event-subscriptions.ts';
import type { FateDeps } from '../ingest/track/event-fate.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Dialect } from '../stores/events/dialect.ts';
import type { EventStore } from '../stores/events/event-store.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import type { WorkerMethods } from './worker-protocol.ts';

/** What the private API is built from. Each route passes on only what the manager it calls asks for. */
export interface ApiDeps extends Pick<DeletePersonDeps, 'reassigner' | 'whenProcessed' | 'erasure' | 'log'> {
  config: Pick<Config, 'publicUrl' | 'queryTimeoutSeconds' | 'webhookAllowPrivate'>;
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  sessions: Sessions;
  signInGuard: SignInGuard;
  keys: KeyGuard;
  events: Pick<EventStore, 'query'>;
  /** The words of the engine behind `events`. */
  dialect: Dialect;
  /** Brings the copy of persons beside the events up to date, before they are asked about. */
  mirrorPersons(projectId: number): Promise<void>;
  /** Answers questions about what persons did, on the worker's thread. */
  answerQuestion: WorkerMethods['answerQuestion'];
  /** Hears of every insight that is answered. */
  usage: Pick<QueryUsage, 'record' | 'countsOfLast30Days'>;
  /** Answers that are kept; must hear of every change that may change one. */
  results: ResultCache;
  tail: LiveEventSubscriptions;
  ingestion: Pick<EventIntake, 'accept'>;
  /** The entry of the log in which an event still waits. */
  findPending: FateDeps['findPending'];
  /** Must hear of every change to a project. */
  directory: Pick<ProjectDirectory, 'invalidate'>;
  /** Must hear of every change to a flag or a cohort. */
  flagSnapshots: FlagSnapshots;
  decide: DecideDeps;
  /** Must hear of cohorts that wait for their calculation. */
  calculations: Pick<CohortCalculations, 'wake'>;
  demo: Pick<DemoData, 'start' | 'progress'>;
  /** Removes a deleted project's events. */
  removeEvents(projectId: number): Promise<void>;
}
