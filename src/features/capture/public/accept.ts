/**
 * The one way from a request to the log, whatever its protocol: decode, find the project, read the events, log them. When
 * it resolves the events are on disk; what becomes of each is decided later by the worker.
 */
import { type ParsedEvents, parseEvents } from '../../../http/public/decode/parse-body.ts';
import { type PublicRequest, type ReadRequest, readPublicRequest, workOf } from '../../../http/public/read-request.ts';
import { chain, type MaybePromise } from '../../../lib/maybe-async.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { CaptureDeps, SentEvents } from './deps.ts';

export interface Sender {
  key: unknown;
  /** For personal keys, which are not of one project. */
  projectId?: unknown;
}

type ParseEvents = (payload: Buffer) => MaybePromise<ParsedEvents>;

interface CaptureProtocol<T extends SentEvents> {
  encodings: 'v0' | 'v1';
  /** Where the sender is known without the body: then the key is checked first. */
  sender?: Sender;
  read(request: ReadRequest, parse: ParseEvents): MaybePromise<Sender & { readEvents(): MaybePromise<T> }>;
}

export function accept<T extends SentEvents>(
  deps: CaptureDeps,
  request: PublicRequest,
  protocol: CaptureProtocol<T>,
): MaybePromise<T> {
  const receivedAt = deps.clock.now();
  const known = protocol.sender && projectOf(deps, request, protocol.sender);
  return chain(known, (project) =>
    deps.admission.decode(...workOf(request), () => acceptBody(deps, request, protocol, receivedAt, project)),
  );
}

/** Most requests are small and of a known project: then nothing is awaited but the log. */
function acceptBody<T extends SentEvents>(
  deps: CaptureDeps,
  request: PublicRequest,
  protocol: CaptureProtocol<T>,
  receivedAt: number,
  known: Project | undefined,
): MaybePromise<T> {
  const decoded = readPublicRequest(request, limitsOf(deps), protocol.encodings);
  const read = chain(decoded, (decoded) => protocol.read(decoded, (payload) => parse(deps, payload)));
  return chain(read, (sender) =>
    chain(known ?? projectOf(deps, request, sender), (project) =>
      chain(sender.readEvents(), (sent) => chain(deps.logEvents(request, project, receivedAt, sent), () => sent)),
    ),
  );
}

const limitsOf = ({ config }: CaptureDeps) => ({ maxBytes: config.maxBodyBytes, maxRatio: config.maxUnpackingRatio });

const parse = ({ admission, config }: CaptureDeps, payload: Buffer): MaybePromise<ParsedEvents> =>
  chain(parseEvents(payload, config), (parsed) => {
    for (const reason of parsed.refused) admission.countRefusal(reason);
    return parsed;
  });

const projectOf = (
  { directory }: CaptureDeps,
  request: PublicRequest,
  { key, projectId }: Sender,
): MaybePromise<Project> => directory.cached(key) ?? directory.getProject(key, projectId, request.ip);
