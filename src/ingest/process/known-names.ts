/**
 * What the definition recorder remembers of each project, so that known names cost no statement. Bounded for each
 * project, so that the names of one displace none of another, and forgotten after a while: definitions may be deleted.
 */
import { MINUTE_MS } from '../../core/time/units.ts';

const MAX_AGE_MS = 10 * MINUTE_MS;
/** More names than this are a mistake, such as ids in names. */
const MAX_NAMES = 100_000;
const MAX_PROJECTS = 1000;

/** Names that need no further look, by their owner: an event, persons, or a group type. */
export type CompleteNames = Map<string, Set<string>>;

export interface ProjectNames {
  complete: CompleteNames;
  /** When each event was last seen. */
  lastSeen: Map<string, number>;
  /** How many definitions there are, at most; null: not counted yet. */
  counts: DefinitionCounts | null;
  size: number;
  since: number;
}

interface DefinitionCounts {
  events: number;
  properties: number;
  eventProperties: number;
}

export class KnownNames {
  readonly #projects = new Map<number, ProjectNames>();

  of(projectId: number, now: number): ProjectNames {
    const known = this.#projects.get(projectId);
    if (known && known.size <= MAX_NAMES && now - known.since < MAX_AGE_MS) return known;
    if (this.#projects.size >= MAX_PROJECTS) this.#projects.clear();
    const fresh = { complete: new Map(), lastSeen: new Map(), counts: null, size: 0, since: now };
    this.#projects.set(projectId, fresh);
    return fresh;
  }
}
