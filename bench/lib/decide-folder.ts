/** Creates a data folder with persons and flags, without a server. */
import { join } from 'node:path';
import { personUuid } from '../../src/core/events/uuid.ts';
import type { PersonChanges } from '../../src/core/persons/person-changes.ts';
import { bootstrap } from '../../src/features/accounts/bootstrap.ts';
import { newProject } from '../../src/features/accounts/projects.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { DATA_FILES } from '../../src/stores/data-files.ts';
import { NO_CHANGES } from '../../src/stores/ingest/no-changes.ts';
import type { MetadataStore } from '../../src/stores/metadata/metadata-store.ts';
import { openMetadataStore } from '../../src/stores/sqlite/metadata-store.ts';
import { aFlag } from '../../test/contract/flag-builders.ts';
import { flagFilters, flagKey, personProperties } from './flag-definitions.ts';

const CHUNK_SIZE = 5000;

export const personId = (n: number): string => `person-${String(n).padStart(8, '0')}`;

interface FolderOptions {
  /** By project key. */
  projects: Readonly<Record<string, { flags: number; persons: number }>>;
  personalKey: string;
}

export async function makeFolder(dataDir: string, { projects, personalKey }: FolderOptions): Promise<void> {
  const { metadata, ingest } = await openMetadataStore(join(dataDir, DATA_FILES.metadata), systemClock.now());
  const deps = { metadata, clock: systemClock, ids: randomIds };
  const [firstKey = ''] = Object.keys(projects);
  await bootstrap(deps, { projectKey: firstKey, personalKey, admin: null });
  for (const [key, { flags, persons }] of Object.entries(projects)) {
    const projectId = await projectWith(metadata, key);
    for (let from = 0; from < persons; from += CHUNK_SIZE) {
      const changes = newPersons(projectId, from, Math.min(persons, from + CHUNK_SIZE));
      await ingest.transaction((store) => store.apply({ ...NO_CHANGES, persons: changes }));
    }
    await metadata.transaction(async (store) => {
      for (let n = 0; n < flags; n++) {
        await store.flags.create(aFlag(projectId, { key: flagKey(n), filters: flagFilters(n) }));
      }
    });
  }
  await metadata.close();
}

async function projectWith(metadata: MetadataStore, key: string): Promise<number> {
  const known = await metadata.projects.getByApiToken(key);
  if (known) return known.id;
  const [first] = await metadata.projects.listAll();
  const deps = { clock: systemClock, ids: randomIds };
  return (await metadata.projects.create(newProject(deps, first?.organizationId ?? '', key, key))).id;
}

function newPersons(projectId: number, from: number, to: number): PersonChanges {
  const numbers = Array.from({ length: to - from }, (_, i) => from + i);
  const uuidOf = (n: number): string => personUuid(projectId, personId(n));
  return {
    persons: numbers.map((n) => ({
      person: {
        projectId,
        uuid: uuidOf(n),
        createdAt: 1,
        properties: personProperties(n),
        isIdentified: true,
        version: 0,
      },
      isNew: true,
      mergedInto: null,
    })),
    ops: numbers.map((n) => ({ op: 'add_id', projectId, distinctId: personId(n), personUuid: uuidOf(n) })),
    history: [],
    overrides: [],
  };
}
