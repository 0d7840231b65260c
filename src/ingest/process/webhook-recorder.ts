/**
 * The webhook messages of a chunk, one for each event name. They are written in the chunk's transaction, so exactly the
 * events that are stored are announced. Projects without a webhook cost nothing.
 */
import type { PersonOverride, StoredEvent } from '../../stores/events/event-store.ts';
import type { IngestTransaction, NewOutboxMessage } from '../../stores/ingest/ingest-store.ts';
import type { RequestContext } from '../accept/request-context.ts';
import type { Projects } from './normalise-entries.ts';

/** A person may be merged several times in one chunk; this bounds the search for the last one. */
const MAX_MERGES = 100;

const keyOf = (projectId: number, event: string): string => `${projectId}:${event}`;

export class WebhookRecorder {
  #marked: ReadonlySet<string> = new Set();
  readonly #now: number;
  readonly #messages = new Map<string, NewOutboxMessage>();

  constructor(now: number) {
    this.#now = now;
  }

  async load(store: IngestTransaction, projects: Projects): Promise<void> {
    const withWebhook = [...projects.values()].filter(({ hasWebhook }) => hasWebhook).map(({ id }) => id);
    const marked = await store.listWebhookEvents(withWebhook);
    this.#marked = new Set(marked.map(({ projectId, event }) => keyOf(projectId, event)));
  }

  /** Historical events are not announced. */
  record({ projectId, event, personId, timestamp }: StoredEvent, { historical }: RequestContext): void {
    if (this.#marked.size === 0 || historical) return;
    const key = keyOf(projectId, event);
    if (!this.#marked.has(key)) return;
    const count = (this.#messages.get(key)?.count ?? 0) + 1;
    const message = { projectId, event, count, personUuid: personId, happenedAt: timestamp, waitingSince: this.#now };
    this.#messages.set(key, message);
  }

  /** Where a person was merged in the same chunk, the message names the one they became. */
  messages(overrides: readonly PersonOverride[]): NewOutboxMessage[] {
    if (this.#messages.size === 0) return [];
    const mergedInto = new Map(overrides.map(({ from, to }) => [from, to]));
    const current = (uuid: string): string => {
      let last = uuid;
      for (let n = 0; n < MAX_MERGES && mergedInto.has(last); n++) last = mergedInto.get(last) ?? last;
      return last;
    };
    return [...this.#messages.values()].map((message) => ({ ...message, personUuid: current(message.personUuid) }));
  }
}
