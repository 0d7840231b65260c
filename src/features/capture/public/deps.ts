import type { JsonObject } from '../../../core/json/json.ts';
import type { PublicRouteDeps } from '../../../http/public/public-deps.ts';
import type { PublicRequest } from '../../../http/public/read-request.ts';
import type { RequestContext } from '../../../ingest/accept/request-context.ts';
import type { MaybePromise } from '../../../lib/maybe-async.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';

/** What a protocol reads from a request. */
export interface SentEvents extends Partial<Pick<RequestContext, 'sentAt' | 'engage' | 'historical'>> {
  events: readonly JsonObject[];
  /** The body, where it is logged as it came. */
  payload?: Buffer;
}

export interface CaptureDeps extends PublicRouteDeps {
  /** Resolves when the events are on disk: in the log of the server, or in that of a relay. */
  logEvents(request: PublicRequest, project: Project, receivedAt: number, sent: SentEvents): MaybePromise<void>;
}
