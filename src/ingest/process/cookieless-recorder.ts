/** Visitors without cookies over one chunk: gives their events the ids that depend on what they did before. */
import {
  type CookielessVisitor,
  cookielessVisitorOf,
  identifyCookieless,
} from '../../core/cookieless/cookieless-visitor.ts';
import type { Event } from '../../core/events/event.ts';
import type { IngestChanges, IngestTransaction } from '../../stores/ingest/ingest-store.ts';
import type { NewEvent } from './normalise-entries.ts';

const keyOf = ({ projectId, base }: Pick<CookielessVisitor, 'projectId' | 'base'>): string => `${projectId}:${base}`;

export class CookielessRecorder {
  readonly #visitors = new Map<string, CookielessVisitor>();

  /** In the order of the log, before persons are loaded by these ids. */
  async identify(store: IngestTransaction, events: readonly NewEvent[]): Promise<readonly NewEvent[]> {
    const keys = events.map(({ event, source }) => this.#add(cookielessVisitorOf(source.raw, event)));
    if (this.#visitors.size === 0) return events;
    for (const known of await store.listCookielessVisitors([...this.#visitors.values()])) {
      this.#visitors.set(keyOf(known), known);
    }
    return events.map(({ event, source }, i) => ({ event: this.#identify(event, keys[i]), source }));
  }

  #add(visitor: CookielessVisitor | undefined): string | undefined {
    if (visitor === undefined) return undefined;
    const key = keyOf(visitor);
    this.#visitors.set(key, visitor);
    return key;
  }

  #identify(event: Event, key: string | undefined): Event {
    const known = key === undefined ? undefined : this.#visitors.get(key);
    if (key === undefined || known === undefined) return event;
    const { event: identified, visitor } = identifyCookieless(known, event);
    this.#visitors.set(key, visitor);
    return identified;
  }

  changes(): Pick<IngestChanges, 'cookielessVisitors'> {
    return { cookielessVisitors: [...this.#visitors.values()] };
  }
}
