/** Logs the events of a request at a relay: they are on its disk when it answers, and sent on from there. */
import { validateEvents } from '../../core/events/validate-events.ts';
import type { SentEvents } from '../../features/capture/public/deps.ts';
import { eventsNotLogged } from '../../features/capture/rules/events-not-logged.ts';
import { withoutRecordings } from '../../features/capture/rules/without-recordings.ts';
import { callerAddress, type PublicRequest } from '../../http/public/read-request.ts';
import { serializeEvents } from '../../ingest/accept/serialize-events.ts';
import type { Ids } from '../../lib/ids.ts';
import type { IngestLog } from '../../stores/ingest/ingest-log.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import { completeEvents } from './complete-events.ts';

interface JournalDeps {
  journal: Pick<IngestLog, 'append'>;
  ids: Pick<Ids, 'seed'>;
  /** Called when something waits to be sent on. */
  onAccepted(): void;
}

/** What is kept of a request beside its events. */
export interface JournalContext {
  userAgent: string;
  ip: string | null;
  origin: string;
  historical: boolean;
}

export async function journalEvents(
  { journal, ids, onAccepted }: JournalDeps,
  request: PublicRequest,
  { id: projectId }: Project,
  receivedAt: number,
  { engage = false, sentAt = null, historical = false, ...sent }: SentEvents,
): Promise<void> {
  validateEvents(sent.events);
  if (sent.events.length === 0) return;
  const { events } = withoutRecordings(sent);
  const seed = ids.seed();
  const ip = callerAddress(request);
  const { 'user-agent': userAgent = '', origin = '' } = request.headers;
  const context: JournalContext = { userAgent, ip, origin, historical };
  const completed = completeEvents(events, { projectId, receivedAt, sentAt, seed, ip, engage });
  const payload = await serializeEvents(completed);
  try {
    await journal.append({
      projectId,
      receivedAt,
      events: events.length,
      context: JSON.stringify(context),
      seed,
      payload,
    });
  } catch (cause) {
    throw eventsNotLogged(cause);
  }
  onAccepted();
}
