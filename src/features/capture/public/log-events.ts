/** Logs the events of a request at the server: checks them, adds what the request tells about the visitor, appends them. */
import { changedSubjects } from '../../../core/events/changed-subjects.ts';
import { validateEvents } from '../../../core/events/validate-events.ts';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { callerAddress, type PublicRequest } from '../../../http/public/read-request.ts';
import { type AcceptDeps, acceptEvents } from '../../../ingest/accept/accept-events.ts';
import type { RequestContext } from '../../../ingest/accept/request-context.ts';
import { eachBatch } from '../../../lib/in-batches.ts';
import { chain, type MaybePromise } from '../../../lib/maybe-async.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { type Cookieless, isCookieless } from '../cookieless/cookieless.ts';
import type { EventRate } from '../event-rate.ts';
import { eventsNotLogged } from '../rules/events-not-logged.ts';
import { withoutRecordings } from '../rules/without-recordings.ts';
import {
  addFactsOfOwnAddress,
  factsOf,
  needsUserAgent,
  type Places,
  visitorFacts,
  withFacts,
} from '../visitor-facts.ts';
import type { SentEvents } from './deps.ts';

interface LogEventsDeps extends AcceptDeps {
  geoip: Places;
  cookieless: Pick<Cookieless, 'complete'>;
  eventRate: Pick<EventRate, 'take'>;
}

export function logEvents(
  deps: LogEventsDeps,
  request: PublicRequest,
  project: Project,
  receivedAt: number,
  sent: SentEvents,
): MaybePromise<void> {
  const { id: projectId } = project;
  const hasCookieless = sent.events.some(isCookieless);
  const kept = hasCookieless ? withoutTraces(deps, request, project, receivedAt, sent) : sent;
  return chain(kept, (kept) =>
    chain(checkEvents(deps, project, kept), ({ subjects, isChanged }) => {
      if (sent.events.length === 0) return;
      deps.eventRate.take(projectId, sent.events.length);
      const logged = withoutRecordings(isChanged ? changed(kept) : kept);
      const context = hasCookieless ? timesOf(sent) : contextOf(deps, request, project, sent);
      return append(deps, { projectId, receivedAt, context, subjects, ...logged });
    }),
  );
}

const timesOf = ({ engage = false, sentAt = null, historical = false }: SentEvents) => ({ sentAt, engage, historical });

/** With a cookieless visitor among them, nothing of the request is logged beside the events: they have it all. */
async function withoutTraces(
  deps: LogEventsDeps,
  request: PublicRequest,
  project: Project,
  receivedAt: number,
  sent: SentEvents,
): Promise<SentEvents> {
  const { 'user-agent': userAgent, origin } = request.headers;
  const source = { address: callerAddress(request), userAgent, origin, receivedAt, sentAt: sent.sentAt ?? null };
  const facts = visitorFacts(deps.geoip, project.webAnalytics, source.address, userAgent);
  const events: JsonObject[] = [];
  for (const event of sent.events) {
    events.push(
      isCookieless(event)
        ? await deps.cookieless.complete(
            project,
            event,
            source,
            factsOf(deps.geoip, project.webAnalytics, event, facts),
          )
        : withFacts(event, facts, project.anonymizeIps ? null : source.address),
    );
  }
  return { ...timesOf(sent), events };
}

function contextOf(deps: LogEventsDeps, request: PublicRequest, project: Project, sent: SentEvents): RequestContext {
  const address = callerAddress(request);
  const userAgent = needsUserAgent(sent.events) ? request.headers['user-agent'] : undefined;
  return {
    ip: project.anonymizeIps ? null : address,
    ...timesOf(sent),
    ...visitorFacts(deps.geoip, project.webAnalytics, address, userAgent),
  };
}

/** Without the body, the events are logged as a list; at /engage/ a single event is more than a list of one. */
const changed = ({ events, engage = false }: SentEvents): SentEvents =>
  engage && events.length === 1 ? { events, payload: Buffer.from(stringifyExact(events[0])) } : { events };

const append = (...args: Parameters<typeof acceptEvents>): Promise<void> =>
  acceptEvents(...args).catch((cause: unknown) => {
    throw eventsNotLogged(cause);
  });

/** About a millisecond. */
const BATCH_SIZE = 1000;

/**
 * Throws where an event is invalid for every protocol. Returns the subjects whose flags the events may change, and whether
 * an event was completed, so that the body can no longer be logged as it came.
 */
function checkEvents(
  { geoip }: LogEventsDeps,
  { webAnalytics }: Project,
  { events, engage = false }: SentEvents,
): MaybePromise<{ subjects: string[]; isChanged: boolean }> {
  const subjects: string[][] = [];
  let isChanged = false;
  const checked = eachBatch(events, BATCH_SIZE, (batch) => {
    validateEvents(batch);
    for (const event of batch) if (addFactsOfOwnAddress(geoip, webAnalytics, event)) isChanged = true;
    subjects.push(changedSubjects(batch, engage));
  });
  return chain(checked, () => ({ subjects: subjects.flat(), isChanged }));
}
