import type { RouteDeps } from '../../../http/api/route-deps.ts';
import type { EventIntake } from '../../../ingest/accept/event-intake.ts';
import type { LiveEventSubscriptions as LiveEvents } from '../../../ingest/live/live-event-subscriptions.ts';
import type { FateDeps } from '../../../ingest/track/event-fate.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { QueryDeps } from '../../../query/query-deps.ts';

export interface EventApiDeps extends RouteDeps, QueryDeps {
  config: RouteDeps['config'] & { queryTimeoutSeconds: number; maxLiveStreams: number };
  ids: Ids;
  tail: LiveEvents;
  ingestion: Pick<EventIntake, 'accept'>;
  /** The entry of the log in which an event still waits. */
  findPending: FateDeps['findPending'];
}
