/**
 * Which events of a chunk the webhooks of their projects hear of, gathered by name. What is written here lies in the
 * chunk's own transaction: events that are stored are announced, whatever happens afterwards, and events that are not
 * are not. Projects without a webhook cost nothing.
 */
import type { PersonOverride, StoredEvent } from '../../stores/events/event-store.ts';
import type { IngestTransaction, NewOutboxMessage } from '../../stores/ingest/ingest-store.ts';
import type { RequestContext } from '../accept/request-context.ts';
import type { Projects } from './read-ahead.ts';

/** Merges of one chunk can follow one another; nobody is merged more often than this. */
const MAX_MERGES = 100;

const keyOf = (projectId: number, event: string): string => `${projectId}:${event}`;

export class WebhookRecorder {
  readonly #marked: ReadonlySet<string>;
  readonly #now: number;
  readonly #messages = new Map<string, NewOutboxMessage>();

  private constructor(marked: ReadonlySet<string>, now: number) {
    this.#marked = marked;
    this.#now = now;
  }

  static async load(store: IngestTransaction, projects: Projects, now: number): Promise<WebhookRecorder> {
    const listening = [...projects.values()].filter(({ hasWebhook }) => hasWebhook).map(({ id }) => id);
    const marked = await store.listWebhookEvents(listening);
    return new WebhookRecorder(new Set(marked.map(({ projectId, event }) => keyOf(projectId, event))), now);
  }

  /** A backfill is no news. */
  record({ projectId, event, personId, timestamp }: StoredEvent, { historical }: RequestContext): void {
    if (this.#marked.size === 0 || historical) return;
    const key = keyOf(projectId, event);
    if (!this.#marked.has(key)) return;
    const count = (this.#messages.get(key)?.count ?? 0) + 1;
    const message = { projectId, event, count, personUuid: personId, happenedAt: timestamp, waitingSince: this.#now };
    this.#messages.set(key, message);
  }

  /** Those who signed up a moment before they said who they are go by the person they became. */
  changes(overrides: readonly PersonOverride[]): { messages: NewOutboxMessage[] } {
    if (this.#messages.size === 0) return { messages: [] };
    const heirs = new Map(overrides.map(({ from, to }) => [from, to]));
    const heirOf = (uuid: string): string => {
      let heir = uuid;
      for (let n = 0; n < MAX_MERGES && heirs.has(heir); n++) heir = heirs.get(heir) ?? heir;
      return heir;
    };
    return { messages: [...this.#messages.values()].map((one) => ({ ...one, personUuid: heirOf(one.personUuid) })) };
  }
}
