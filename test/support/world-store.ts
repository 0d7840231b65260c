/** Real stores for small data sets, each in a project of its own. */
import { hotProperties } from '../../src/core/events/hot-properties.ts';
import { duckdbDialect } from '../../src/stores/duckdb/dialect.ts';
import { openEventStore } from '../../src/stores/duckdb/event-store.ts';
import type { StoredEvent } from '../../src/stores/events/event-store.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import { openMetadataStore } from '../../src/stores/sqlite/metadata-store.ts';
import { uuidOf } from '../contract/events.ts';
import { aCohort } from '../contract/flag-builders.ts';
import { makeTempDir } from '../contract/temp-dir.ts';
import { World, type WorldData } from '../oracle/world.ts';
import { tools } from './oracle-answers.ts';

export interface StoredWorld {
  projectId: number;
  /** The same data for the oracle, with the cohort id of the store. */
  world: World;
  cohort: number;
}

/** Person ids for events without a person. */
const NOBODY = uuidOf(0xffff);

export async function openWorldStore() {
  const dir = makeTempDir();
  const stores = await openMetadataStore(dir.path('metadata.sqlite'), 0);
  const events = await openEventStore(dir.path('events.duckdb'));
  let position = 0;

  async function store(given: WorldData): Promise<StoredWorld> {
    const projectId = ++position;
    const data = withOwnPersons(given, projectId);
    const states = data.persons.map(({ uuid, createdAt, properties }) => ({
      person: { projectId, uuid, createdAt, properties: { ...properties }, isIdentified: false, version: 0 },
      isNew: true,
      mergedInto: null,
    }));
    const groups = (data.groups ?? []).map(({ index, key, properties }) => ({
      projectId,
      typeIndex: index,
      key,
      properties: { ...properties },
      createdAt: 0,
      version: 0,
    }));
    await stores.ingest.transaction((tx) =>
      tx.apply({ ...NO_CHANGES, persons: { ...NO_CHANGES.persons, persons: states }, groups, position }),
    );
    await events.write({ events: data.events.map((event) => storedEvent(projectId, event)), overrides: [], position });
    await events.mirrorPersons({
      projectId,
      removed: [],
      persons: data.persons.map(({ uuid, createdAt, properties }) => ({
        uuid,
        createdAt,
        properties: JSON.stringify(properties),
      })),
      position: { change: position, id: 0 },
    });
    const members = [...(data.cohorts?.get(1) ?? [])];
    const { id: cohort } = await stores.metadata.cohorts.create(aCohort(projectId, { isStatic: true }));
    const ids = await stores.metadata.cohortMembers.listPersonIdsByUuid(projectId, members);
    await stores.metadata.cohortMembers.add(projectId, cohort, ids);
    const world = new World({ ...data, cohorts: new Map([[cohort, new Set(members)]]) }, tools);
    return { projectId, world, cohort };
  }

  const close = async (): Promise<void> => {
    await events.close();
    await stores.metadata.close();
    dir.remove();
  };
  const deps = { events, dialect: duckdbDialect, metadata: stores.metadata, mirrorPersons: async () => undefined };
  return { store, close, deps };
}

export type WorldStore = Awaited<ReturnType<typeof openWorldStore>>;

function storedEvent(projectId: number, event: WorldData['events'][number]): StoredEvent {
  return {
    ...event,
    projectId,
    personId: event.personId ?? NOBODY,
    createdAt: event.timestamp,
    elementsChain: event.elementsChain ?? '',
    properties: JSON.stringify(event.properties),
    parsed: { ...event.properties },
    hot: hotProperties({ ...event.properties }),
  };
}

/** Makes person ids unique across projects. */
function withOwnPersons(data: WorldData, projectId: number): WorldData {
  const own = (uuid: string): string => projectId.toString(16).padStart(8, '0') + uuid.slice(8);
  return {
    ...data,
    events: data.events.map((event) => ({ ...event, personId: event.personId === null ? null : own(event.personId) })),
    persons: data.persons.map((person) => ({ ...person, uuid: own(person.uuid) })),
    cohorts: new Map([...(data.cohorts ?? [])].map(([id, members]) => [id, new Set([...members].map(own))])),
  };
}
