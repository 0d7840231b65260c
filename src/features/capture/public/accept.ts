/**
 * The one way from a request to the log, whatever its protocol: decode, find the project, read the events, check them,
 * append them. When it resolves the events are on disk; what becomes of each is decided later by the worker.
 */
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../../core/errors.ts';
import { changedSubjects } from '../../../core/events/changed-subjects.ts';
import { isRecording } from '../../../core/events/special-events.ts';
import { validateEvents } from '../../../core/events/validate-events.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { type ParsedEvents, parseEvents } from '../../../http/public/decode/parse-body.ts';
import { callerAddress, type ReadRequest, readPublicRequest, workOf } from '../../../http/public/read-request.ts';
import { acceptEvents } from '../../../ingest/accept/accept-events.ts';
import type { RequestContext } from '../../../ingest/accept/request-context.ts';
import { eachBatch } from '../../../lib/in-batches.ts';
import type { MaybePromise } from '../../../lib/maybe-async.ts';
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
  request: FastifyRequest,
  protocol: CaptureProtocol<T>,
): Promise<T> {
  const receivedAt = deps.clock.now();
  const known = protocol.sender && (await projectOf(deps, request, protocol.sender));
  return deps.admission.decode(...workOf(request), async () => {
    const decoded = await readPublicRequest(request, limitsOf(deps), protocol.encodings);
    const { readEvents, ...sender } = await protocol.read(decoded, (payload) => parse(deps, payload));
    const project = known ?? (await projectOf(deps, request, sender));
    return store(deps, request, { projectId: project.id, receivedAt }, await readEvents());
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
  request: FastifyRequest,
  origin: { projectId: number; receivedAt: number },
  sent: T,
): Promise<T> {
  const { engage = false, sentAt = null, historical = false } = sent;
  const subjects = await checkEvents(sent.events, engage);
  const context = { ip: callerAddress(request), sentAt, engage, historical };
  if (sent.events.length > 0) {
    deps.eventRate.take(origin.projectId, sent.events.length);
    await append(deps, { ...origin, context, subjects, ...withoutRecordings(sent) });
  }
  return sent;
}

const projectOf = ({ directory }: CaptureDeps, { ip }: FastifyRequest, { key, projectId }: Sender) =>
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

/** Throws where an event is invalid for every protocol; returns the subjects whose flags the events may change. */
async function checkEvents(events: readonly JsonObject[], engage: boolean): Promise<string[]> {
  const subjects: string[][] = [];
  await eachBatch(events, BATCH_SIZE, (batch) => {
    validateEvents(batch);
    subjects.push(changedSubjects(batch, engage));
  });
  return subjects.flat();
}
