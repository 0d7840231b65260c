import type { PersonChanges } from '../../src/core/persons/person-changes.ts';

/** New persons, each with two distinct ids. */
export const newPersonChanges = (projectId: number, uuids: readonly string[]): PersonChanges => ({
  persons: uuids.map((uuid) => ({
    person: { projectId, uuid, createdAt: 1, properties: { of: uuid }, isIdentified: false, version: 0 },
    isNew: true,
    mergedInto: null,
  })),
  ops: uuids.flatMap((personUuid) =>
    ['first', 'second'].map((word) => ({
      op: 'add_id' as const,
      projectId,
      distinctId: `${word} ${personUuid}`,
      personUuid,
    })),
  ),
  history: [],
  overrides: [],
});
