import { changedSubjects } from '../../core/events/changed-subjects.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { EventIntake } from './event-intake.ts';
import { serializeRequestContext } from './request-context.ts';

export interface AcceptDeps {
  ingestion: Pick<EventIntake, 'accept'>;
  clock: Clock;
  ids: Ids;
}

/** Events of this server's own making, which no request brought. They are history: not shown as live. */
export function acceptEvents(
  { ingestion, clock, ids }: AcceptDeps,
  projectId: number,
  events: readonly JsonObject[],
): Promise<void> {
  const entry = {
    projectId,
    receivedAt: clock.now(),
    events: events.length,
    context: serializeRequestContext({ ip: null, sentAt: null, engage: false, historical: true }),
    seed: ids.seed(),
    payload: Buffer.from(JSON.stringify(events)),
  };
  return ingestion.accept(entry, changedSubjects(events, false), events);
}
