/**
 * Live events on a node that did not process them: when a message says that events have been shipped, the newest are
 * read from the event store. Costs nothing while nobody watches.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Dialect } from '../../stores/events/dialect.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import type { LiveEvent } from '../live/live-event-publisher.ts';

interface LiveEventPollerDeps {
  events: Pick<EventStore, 'query'>;
  dialect: Dialect;
  clock: Clock;
  publish(events: LiveEvent[]): void;
}

const MAX_EVENTS_PER_POLL = 200;

export class LiveEventPoller {
  readonly #deps: LiveEventPollerDeps;
  /** For each watched project, when the last published event arrived. */
  readonly #published = new Map<number, number>();
  #polling: Promise<void> = Promise.resolve();

  constructor(deps: LiveEventPollerDeps) {
    this.#deps = deps;
  }

  watch(projectIds: readonly number[]): void {
    for (const id of this.#published.keys()) if (!projectIds.includes(id)) this.#published.delete(id);
    for (const id of projectIds) if (!this.#published.has(id)) this.#published.set(id, this.#deps.clock.now() - 1);
  }

  /** Events of these projects have been shipped, or of any (null). One poll at a time. */
  poll(projectIds: readonly number[] | null): Promise<void> {
    const watched = [...this.#published.keys()].filter((id) => projectIds === null || projectIds.includes(id));
    if (watched.length === 0) return Promise.resolve();
    this.#polling = this.#polling
      .catch(() => undefined)
      .then(async () => {
        for (const id of watched) await this.#pollProject(id);
      });
    return this.#polling;
  }

  async #pollProject(projectId: number): Promise<void> {
    const after = this.#published.get(projectId);
    if (after === undefined) return;
    const sql = this.#deps.dialect.newStatement('e');
    const rows = await this.#deps.events.query(
      `select e.uuid, e.event, e.distinct_id, e.person_id, e.timestamp, e.created_at, e.properties
      from event_rows e where e.project_id = ${sql.param(projectId)} and e.created_at > ${sql.time(after)}
      order by e.created_at desc, e.uuid desc limit ${MAX_EVENTS_PER_POLL}`,
      sql.values,
    );
    if (rows[0] === undefined) return;
    this.#published.set(projectId, Number(rows[0]['created_at']));
    const events = rows.map((row) => ({
      projectId,
      uuid: String(row['uuid']),
      event: String(row['event']),
      distinctId: String(row['distinct_id']),
      personId: String(row['person_id']),
      timestamp: Number(row['timestamp']),
      properties: String(row['properties']),
    }));
    this.#deps.publish(events.reverse());
  }
}
