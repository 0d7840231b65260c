/**
 * The one way from a request to the log, whatever its protocol: decode, find the project, read the events, check them,
 * append them. When it resolves the events are on disk; what becomes of each is decided later by the worker.
 */
import { Failure } from '../../../core/errors.ts';
import { changedSubjects } from '../../../core/events/changed-subjects.ts';
import { isRecording } from '../../../core/events/special-events.ts';
import { validateEvents } from '../../../core/events/validate-events.ts';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { type ParsedEvents, parseEvents } from '../../../http/public/decode/parse-body.ts';
import {
  callerAddress,
  type PublicRequest,
  type ReadRequest,
  readPublicRequest,
  workOf,
} from '../../../http/public/read-request.ts';
import { acceptEvents } from '../../../ingest/accept/accept-events.ts';
import type { RequestContext } from '../../../ingest/accept/request-context.ts';
import { eachBatch } from '../../../lib/in-batches.ts';
import type { MaybePromise } from '../../../lib/maybe-async.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import { isCookieless } from '../cookieless/cookieless.ts';
import { addFactsOfOwnAddress, factsOf, needsUserAgent, visitorFacts, withFacts } from '../visitor-facts.ts';
import type { CaptureDeps } from './deps.ts';

/** What a protocol reads from a request. */
interface SentEvents extends Partial<Pick<RequestContext, 'sentAt' | 'engage' | 'historical'>> {
  events: readonly JsonObject[];
  /** The body, where it is logged as it came. */
  payload?: Buffer;
}

export interface Sender {
  key: unknown;
  /** For personal keys, which are not of one project. */
  projectId?: unknown;
}

type ParseEvents = (payload: Buffer) => Promise<ParsedEvents>;

interface CaptureProtocol<T extends SentEvents> {
  encodings: 'v0' | 'v1';
  /** Where the sender is known without the body: then the key is checked first. */
  sender?: Sender;
  read(request: ReadRequest, parse: ParseEvents): MaybePromise<Sender & { readEvents(): MaybePromise<T> }>;
}

export async function accept<T extends SentEvents>(
  deps: CaptureDeps,
  request: PublicRequest,
  protocol: CaptureProtocol<T>,
): Promise<T> {
  const receivedAt = deps.clock.now();
  const known = protocol.sender && (await projectOf(deps, request, protocol.sender));
  return deps.admission.decode(...workOf(request), async () => {
    const decoded = await readPublicRequest(request, limitsOf(deps), protocol.encodings);
    const { readEvents, ...sender } = await protocol.read(decoded, (payload) => parse(deps, payload));
    const project = known ?? (await projectOf(deps, request, sender));
    return store(deps, request, project, receivedAt, await readEvents());
  });
}

const limitsOf = ({ config }: CaptureDeps) => ({ maxBytes: config.maxBodyBytes, maxRatio: config.maxUnpackingRatio });

async function parse({ admission, config }: CaptureDeps, payload: Buffer): Promise<ParsedEvents> {
  const parsed = await parseEvents(payload, config);
  for (const reason of parsed.refused) admission.countRefusal(reason);
  return parsed;
}

async function store<T extends SentEvents>(
  deps: CaptureDeps,
  request: PublicRequest,
  project: Project,
  receivedAt: number,
  sent: T,
): Promise<T> {
  const { id: projectId } = project;
  const hasCookieless = sent.events.some(isCookieless);
  const kept = hasCookieless ? await withoutTraces(deps, request, project, receivedAt, sent) : sent;
  const { subjects, isChanged } = await checkEvents(deps, project, kept);
  if (sent.events.length > 0) {
    deps.eventRate.take(projectId, sent.events.length);
    const logged = withoutRecordings(isChanged ? changed(kept) : kept);
    const context = hasCookieless ? timesOf(sent) : contextOf(deps, request, project, sent);
    await append(deps, { projectId, receivedAt, context, subjects, ...logged });
  }
  return sent;
}

const timesOf = ({ engage = false, sentAt = null, historical = false }: SentEvents) => ({ sentAt, engage, historical });

/** With a cookieless visitor among them, nothing of the request is logged beside the events: they have it all. */
async function withoutTraces(
  deps: CaptureDeps,
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

function contextOf(deps: CaptureDeps, request: PublicRequest, project: Project, sent: SentEvents): RequestContext {
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

const projectOf = ({ directory }: CaptureDeps, { ip }: PublicRequest, { key, projectId }: Sender) =>
  directory.getProject(key, projectId, ip);

/** Recordings are large and not stored: only their names are logged, so that they are counted. */
function withoutRecordings({ events, payload }: SentEvents): Pick<SentEvents, 'events' | 'payload'> {
  if (events.some((event) => !isRecording(event['event']))) return payload ? { events, payload } : { events };
  return { events: events.map(({ event = null }) => ({ event })) };
}

/** If that fails, the sender is told to retry in words that SDKs know; the reason is logged for the operator. */
async function append(...args: Parameters<typeof acceptEvents>): Promise<void> {
  try {
    await acceptEvents(...args);
  } catch (cause) {
    const retryAfter = (cause instanceof Failure ? cause.retryAfter : undefined) ?? RETRY_AFTER_SECONDS;
    throw new Failure('unavailable', UNAVAILABLE, { code: 'server_error', retryAfter, cause });
  }
}

const RETRY_AFTER_SECONDS = 2;
const UNAVAILABLE =
  'Unable to store some events. Please try again. If you are the owner of this app you can check the logs for ' +
  'further details.';

/** About a millisecond. */
const BATCH_SIZE = 1000;

/**
 * Throws where an event is invalid for every protocol. Returns the subjects whose flags the events may change, and whether
 * an event was completed, so that the body can no longer be logged as it came.
 */
async function checkEvents({ geoip }: CaptureDeps, { webAnalytics }: Project, { events, engage = false }: SentEvents) {
  const subjects: string[][] = [];
  let isChanged = false;
  await eachBatch(events, BATCH_SIZE, (batch) => {
    validateEvents(batch);
    for (const event of batch) if (addFactsOfOwnAddress(geoip, webAnalytics, event)) isChanged = true;
    subjects.push(changedSubjects(batch, engage));
  });
  return { subjects: subjects.flat(), isChanged };
}
