import type { Config } from '../../config.ts';
import type { DecideDeps } from '../../decide/decide.ts';
import type { Definitions } from '../../decide/definitions.ts';
import type { EventDoor } from '../../ingest/event-door.ts';
import type { FateDeps } from '../../ingest/fate-of-event.ts';
import type { Tail } from '../../ingest/tail.ts';
import type { WorkerMethods } from '../../ingest/worker-protocol.ts';
import type { CohortCalculations } from '../../insights/cohort-calculations.ts';
import type { QueryUsage } from '../../insights/query-usage.ts';
import type { ResultCache } from '../../insights/result-cache.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { DeletePersonDeps } from '../../manage/delete-person.ts';
import type { DemoData } from '../../manage/demo-data.ts';
import type { KeyGuard } from '../../manage/key-guard.ts';
import type { ProjectDirectory } from '../../manage/project-directory.ts';
import type { Sessions } from '../../manage/sessions.ts';
import type { SignInGuard } from '../../manage/sign-in-guard.ts';
import type { Dialect } from '../../stores/dialect.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { MetadataStore } from '../../stores/metadata-store.ts';

/** What the private API is built from. Each route passes on only what the manager it calls asks for. */
export interface ApiDeps extends Pick<DeletePersonDeps, 'filing' | 'caughtUp' | 'erasure' | 'log'> {
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
  follow: WorkerMethods['follow'];
  /** Hears of every insight that is answered. */
  usage: Pick<QueryUsage, 'note' | 'inThirtyDays'>;
  /** Answers that are kept; must hear of every change that may change one. */
  results: ResultCache;
  tail: Tail;
  ingestion: Pick<EventDoor, 'accept'>;
  /** The entry of the log in which an event still waits. */
  findPending: FateDeps['findPending'];
  /** Must hear of every change to a project. */
  directory: Pick<ProjectDirectory, 'forget'>;
  /** Must hear of every change to a flag or a cohort. */
  definitions: Definitions;
  decide: DecideDeps;
  /** Must hear of cohorts that wait for their calculation. */
  calculations: Pick<CohortCalculations, 'wake'>;
  demo: Pick<DemoData, 'start' | 'progress'>;
  /** Removes a deleted project's events. */
  removeEvents(projectId: number): Promise<void>;
}
