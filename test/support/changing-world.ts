/** Random worlds in a real event store that get their events bit by bit, and change in between. */
import type { ScanDeps } from '../../src/query/query-deps.ts';
import { duckdbDialect } from '../../src/stores/duckdb/dialect.ts';
import { openEventStore } from '../../src/stores/duckdb/event-store.ts';
import { openMetadataStore } from '../../src/stores/sqlite/metadata-store.ts';
import { anEvent } from '../contract/events.ts';
import { makeTempDir } from '../contract/temp-dir.ts';
import type { WorldData } from '../oracle/world.ts';

const DAY = 86_400_000;
/** The person id of events without a person. */
const NOBODY = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

export interface WorldFile {
  projectId: number;
  /** Stores the next events, in the order of the world; of persons that may not have been copied yet. */
  addEvents(count: number): Promise<void>;
  merge(from: number, to: number): Promise<void>;
  /** The events of a distinct id become those of another person. */
  split(id: number, to: number): Promise<void>;
  /** Deletes a person with their events. */
  remove(person: number): Promise<void>;
  deleteFirstDays(days: number): Promise<void>;
  rename(person: number, email: string): Promise<void>;
  /** Copies the persons that have not been. */
  mirror(): Promise<void>;
}

export interface EventFile {
  events: Awaited<ReturnType<typeof openEventStore>>;
  deps: ScanDeps;
  /** All persons but one are copied, and no event is stored yet; `order`: random numbers, or none. */
  put(data: WorldData, order: readonly number[]): Promise<WorldFile>;
  close(): Promise<void>;
}

export async function openWorldFile(): Promise<EventFile> {
  const dir = makeTempDir();
  const events = await openEventStore(dir.path('events.duckdb'));
  const { metadata } = await openMetadataStore(dir.path('metadata.sqlite'), 0);
  const clock = { now: () => 0 };
  let [projects, position, lastReassignment] = [0, 0, 0];

  async function put(data: WorldData, order: readonly number[]): Promise<WorldFile> {
    const projectId = ++projects;
    const own = (uuid: string): string => String(projectId).padStart(8, '0') + uuid.slice(8);
    const persons = data.persons.map(({ uuid, createdAt, properties }) => ({
      uuid: own(uuid),
      createdAt,
      properties: { ...properties },
    }));
    // Who has the events of each person now; merged persons keep their own number.
    const owners = persons.map((_, at) => at);
    const removed = new Set<number>();
    let waiting = [0];
    const copy = async (numbers: readonly number[], gone: readonly number[] = []): Promise<void> => {
      const isThere = (at: number): boolean => !removed.has(at) && owners[at] === at;
      await events.mirrorPersons({
        projectId,
        removed: gone.map((at) => persons[at]?.uuid ?? ''),
        persons: numbers.filter(isThere).flatMap((at) => {
          const person = persons[at];
          return person === undefined ? [] : [{ ...person, properties: JSON.stringify(person.properties) }];
        }),
        position: { change: ++position, id: 0 },
      });
    };
    await copy([1, 2, 3]);
    const pool = data.events
      .map((event, at) => ({ event, place: order[at % order.length] ?? at }))
      .sort((a, b) => a.place - b.place)
      .map(({ event }) =>
        anEvent({
          projectId,
          uuid: event.uuid,
          event: event.event,
          distinctId: event.distinctId,
          personId: event.personId === null ? NOBODY : own(event.personId),
          timestamp: event.timestamp,
          properties: event.properties,
          groups: [0, 1, 2, 3, 4].map((index) => event.groups[index] ?? null),
          elementsChain: event.elementsChain ?? '',
        }),
      );
    const distinctIds = [...new Set(pool.map(({ distinctId }) => distinctId))].sort();
    const start = Math.min(...data.events.map(({ timestamp }) => timestamp));
    const uuidOf = (at: number): string => persons[at]?.uuid ?? NOBODY;
    return {
      projectId,
      addEvents: (count) => events.write({ events: pool.splice(0, count), overrides: [], position: ++position }),
      async merge(from, to) {
        if (owners[from] === owners[to] || removed.has(from) || removed.has(to)) return;
        const [loser, winner] = [owners[from] ?? 0, owners[to] ?? 0];
        const override = { projectId, from: uuidOf(loser), to: uuidOf(winner) };
        await events.write({ events: [], overrides: [override], position: ++position });
        owners.forEach((owner, at) => {
          if (owner === loser) owners[at] = winner;
        });
        await copy([], [loser]);
      },
      async split(id, to) {
        const distinctId = distinctIds[id];
        if (distinctId === undefined || removed.has(to) || owners[to] !== to) return;
        for (const person of new Set(owners)) {
          const moves = [{ distinctId, to: uuidOf(to) }];
          const personId = uuidOf(person);
          await events.reassign([{ id: ++lastReassignment, projectId, personId, kind: 'move', moves }]);
        }
      },
      async remove(person) {
        if (removed.has(person) || owners[person] !== person) return;
        removed.add(person);
        const personId = uuidOf(person);
        await events.reassign([{ id: ++lastReassignment, projectId, personId, kind: 'remove', distinctIds: [] }]);
        await copy([], [person]);
      },
      async deleteFirstDays(days) {
        if (Number.isFinite(start)) await events.deleteBefore(projectId, start + days * DAY);
      },
      async rename(at, email) {
        const person = persons[at];
        if (person === undefined) return;
        person.properties = { ...person.properties, email };
        await copy([at]);
      },
      async mirror() {
        await copy(waiting);
        waiting = [];
      },
    };
  }

  return {
    events,
    deps: { events, metadata, dialect: duckdbDialect, clock, mirrorPersons: async () => undefined },
    put,
    async close() {
      await events.close();
      await metadata.close();
      dir.remove();
    },
  };
}
