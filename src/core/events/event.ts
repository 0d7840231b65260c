import type { Json } from '../json/json.ts';
import type { EventIdentity } from './event-identity.ts';

/** One event after `normalise`, not yet assigned to a person. */
export interface Event extends EventIdentity {
  projectId: number;
  event: string;
  distinctId: string;
  /** When it happened, ms UTC, after clock correction. */
  timestamp: number;
  /** When it arrived, ms UTC. */
  receivedAt: number;
  properties: Record<string, Json>;
  elementsChain: string;
  /** `none`: a personless event, which creates no person and is stored under a deterministic id. */
  person: 'full' | 'none';
}
