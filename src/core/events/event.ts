import type { Json } from '../json/json.ts';

/** One event after the rules of `normalise`: true to the wire, not yet joined with its person. */
export interface Event {
  projectId: number;
  uuid: string;
  event: string;
  distinctId: string;
  /** When it happened, ms UTC, after clock correction. */
  timestamp: number;
  /** When it arrived, ms UTC. */
  receivedAt: number;
  properties: Record<string, Json>;
  elementsChain: string;
  /** `none`: a personless event; it belongs to a deterministic id and makes no person. */
  person: 'full' | 'none';
}
