/** Small data sets in real stores, to compare the engine with the oracle. */

import { PersonMirror } from '../../src/ingest/maintain/person-mirror.ts';
import type { ScanDeps } from '../../src/query/query-deps.ts';
import { duckdbDialect } from '../../src/stores/duckdb/dialect.ts';
import { openEventStore } from '../../src/stores/duckdb/event-store.ts';
import type { EventStore, PersonOverride, StoredEvent } from '../../src/stores/events/event-store.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import { openMetadataStore } from '../../src/stores/sqlite/metadata-store.ts';
import { anEvent } from '../contract/events.ts';
import { aCohort } from '../contract/flag-builders.ts';
import { makeTempDir } from '../contract/temp-dir.ts';
import type { WorldData, WorldEvent } from '../oracle/world.ts';

export interface PutWorld {
  projectId: number;
  /** Its events as they were stored. */
  stored: readonly StoredEvent[];
  overrides: readonly PersonOverride[];
  /** The same world under the ids that it got. */
  data: WorldData;
}

/** Person id → a former id that was merged into it, which older events still have. */
type Merged = ReadonlyMap<string, string>;

/** What every query needs. */
export type EngineDeps = ScanDeps & { events: Pick<EventStore, 'prepareSessions'> };

export interface InsightStore {
  deps: EngineDeps;
  /** Puts the data into a project of its own; `merged`: merges that happened since. */
  put(data: WorldData, merged?: Merged): Promise<PutWorld>;
  close(): Promise<void>;
}

export async function openInsightStore(): Promise<InsightStore> {
  const dir = makeTempDir();
  const events = await openEventStore(dir.path('events.duckdb'));
  const { metadata, ingest } = await openMetadataStore(dir.path('metadata.sqlite'), 0);
  const mirror = new PersonMirror({ ingest, events, runExclusive: (work) => work() });
  let projectId = 0;
  const writePersons = ({ persons, groups = [] }: WorldData): Promise<void> => {
    const states = persons.map(({ uuid, createdAt, properties }) => ({
      person: { projectId, uuid, createdAt, properties: { ...properties }, isIdentified: false, version: 0 },
      isNew: true,
      mergedInto: null,
    }));
    const changed = { persons: states, ops: [], history: [], overrides: [] };
    const kept = groups.map(({ index, key, properties }) => ({
      projectId,
      typeIndex: index,
      key,
      properties: { ...properties },
      createdAt: 0,
      version: 0,
    }));
    return ingest.transaction((store) =>
      store.apply({ ...NO_CHANGES, persons: changed, groups: kept, position: projectId }),
    );
  };
  const writeCohorts = async ({ cohorts = new Map() }: WorldData): Promise<Map<number, ReadonlySet<string>>> => {
    const kept = new Map<number, ReadonlySet<string>>();
    for (const members of cohorts.values()) {
      const { id } = await metadata.cohorts.create(aCohort(projectId, { isStatic: true }));
      const numbers = await metadata.cohortMembers.listPersonIdsByUuid(projectId, [...members]);
      await metadata.cohortMembers.add(projectId, id, numbers);
      kept.set(id, members);
    }
    return kept;
  };
  return {
    deps: {
      events,
      metadata,
      dialect: duckdbDialect,
      clock: { now: () => 0 },
      mirrorPersons: (id) => mirror.refresh(id),
    },
    async put(given, merged = new Map()) {
      projectId++;
      const data = renamed(given, projectId);
      const own = projectId;
      const former = new Map([...merged].map(([to, from]) => [ownId(to, own), ownId(from, own)]));
      const stored = data.events
        .map((event) => storedEvent(own, event))
        .map((event, at) => ({ ...event, personId: (at % 2 === 0 && former.get(event.personId)) || event.personId }));
      const overrides = [...former].map(([to, from]) => ({ projectId: own, from, to }));
      await events.write({ events: stored, overrides, position: projectId });
      await writePersons(data);
      return { projectId, stored, overrides, data: { ...data, cohorts: await writeCohorts(data) } };
    },
    async close() {
      await events.close();
      await metadata.close();
      dir.remove();
    },
  };
}

const ownId = (uuid: string, projectId: number): string => String(projectId).padStart(8, '0') + uuid.slice(8);

/** Makes uuids of persons unique across projects. */
function renamed(data: WorldData, projectId: number): WorldData {
  const own = (uuid: string): string => ownId(uuid, projectId);
  return {
    ...data,
    events: data.events.map((event) => ({ ...event, personId: event.personId === null ? null : own(event.personId) })),
    persons: data.persons.map((person) => ({ ...person, uuid: own(person.uuid) })),
    cohorts: new Map([...(data.cohorts ?? [])].map(([id, members]) => [id, new Set([...members].map(own))])),
  };
}

/** The person id of events without a person. */
const NOBODY = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

const storedEvent = (projectId: number, event: WorldEvent) =>
  anEvent({
    projectId,
    uuid: event.uuid,
    event: event.event,
    distinctId: event.distinctId,
    personId: event.personId ?? NOBODY,
    timestamp: event.timestamp,
    properties: event.properties,
    groups: [0, 1, 2, 3, 4].map((index) => event.groups[index] ?? null),
    elementsChain: event.elementsChain ?? '',
  });
