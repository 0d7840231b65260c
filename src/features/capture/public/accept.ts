/**
 * The one way from a request to the log, whatever its protocol: decode, find the project, read the events, log them. When
 * it resolves the events are on disk; what becomes of each is decided later by the worker.
 */
import { type ParsedEvents, parseEvents } from '../../../http/public/decode/parse-body.ts';
import { type PublicRequest, type ReadRequest, readPublicRequest, workOf } from '../../../http/public/read-request.ts';
import type { MaybePromise } from '../../../lib/maybe-async.ts';
import type { CaptureDeps, SentEvents } from './deps.ts';

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
    const sent = await readEvents();
    await deps.logEvents(request, project, receivedAt, sent);
    return sent;
  });
}

const limitsOf = ({ config }: CaptureDeps) => ({ maxBytes: config.maxBodyBytes, maxRatio: config.maxUnpackingRatio });

async function parse({ admission, config }: CaptureDeps, payload: Buffer): Promise<ParsedEvents> {
  const parsed = await parseEvents(payload, config);
  for (const reason of parsed.refused) admission.countRefusal(reason);
  return parsed;
}

const projectOf = ({ directory }: CaptureDeps, { ip }: PublicRequest, { key, projectId }: Sender) =>
  directory.getProject(key, projectId, ip);
