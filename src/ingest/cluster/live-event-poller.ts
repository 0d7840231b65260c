/**
 * Shows stored events to whoever watches on a node that did not process them: when others say that events have been
 * shipped, the newest are asked of the event store. Costs nothing while nobody watches.
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
  /** For each project that is watched, the arrival of the last event that was shown. */
  readonly #shown = new Map<number, number>();
  #looking: Promise<void> = Promise.resolve();

  constructor(deps: LiveEventPollerDeps) {
    this.#deps = deps;
  }

  watch(projectIds: readonly number[]): void {
    for (const id of this.#shown.keys()) if (!projectIds.includes(id)) this.#shown.delete(id);
    for (const id of projectIds) if (!this.#shown.has(id)) this.#shown.set(id, this.#deps.clock.now() - 1);
  }

  /** Events of these projects have arrived; null: of any. One look at a time. */
  poll(projectIds: readonly number[] | null): Promise<void> {
    const watched = [...this.#shown.keys()].filter((id) => projectIds === null || projectIds.includes(id));
    if (watched.length === 0) return Promise.resolve();
    this.#looking = this.#looking
      .catch(() => undefined)
      .then(async () => {
        for (const id of watched) await this.#look(id);
      });
    return this.#looking;
  }

  async #look(projectId: number): Promise<void> {
    const after = this.#shown.get(projectId);
    if (after === undefined) return;
    const sql = this.#deps.dialect.newStatement('e');
    const rows = await this.#deps.events.query(
      `select e.uuid, e.event, e.distinct_id, e.person_id, e.timestamp, e.created_at, e.properties
      from event_rows e where e.project_id = ${sql.param(projectId)} and e.created_at > ${sql.time(after)}
      order by e.created_at desc, e.uuid desc limit ${MAX_EVENTS_PER_POLL}`,
      sql.values,
    );
    if (rows[0] === undefined) return;
    this.#shown.set(projectId, Number(rows[0]['created_at']));
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
