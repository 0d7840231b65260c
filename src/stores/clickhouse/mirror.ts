import { checkedUuid, clickhouseJson, packRows } from '../cluster/event-block.ts';
import { MIRROR_START, type MirrorBatch, type MirrorPosition } from '../events/person-mirror.ts';
import type { ClickHouseConnection } from './connection.ts';
import type { StoreNotes } from './keyed-notes.ts';
import { mutableTable, type Topology } from './schema.ts';

const PREFIX = 'persons/';

/** How far the copy of each project's persons reaches: told in a note of its own, after the persons. */
export async function readMirrorPositions(notes: StoreNotes): Promise<Map<number, MirrorPosition>> {
  const found = await notes.read(PREFIX);
  return new Map(
    [...found].map(([name, value]) => [Number(name.slice(PREFIX.length)), JSON.parse(value) as MirrorPosition]),
  );
}

export const readClickHouseMirrorPosition = async (notes: StoreNotes, projectId: number): Promise<MirrorPosition> =>
  (await readMirrorPositions(notes)).get(projectId) ?? MIRROR_START;

/**
 * Adds a newer version of everybody in the slice, which takes the place of older ones; whoever is no more gets a version
 * that says so. The number of the change is the version, so a slice that comes twice leaves what the first one did.
 */
export async function writeClickHouseMirror(
  connection: ClickHouseConnection,
  notes: StoreNotes,
  slice: MirrorBatch,
): Promise<void> {
  const { projectId, removed, persons, position } = slice;
  const kept = new Set(persons.map(({ uuid }) => uuid.toLowerCase()));
  const version = Math.max(0, position.change);
  const rows = [
    ...removed
      .filter((uuid) => !kept.has(uuid.toLowerCase()))
      .map((uuid) => ({ uuid, createdAt: 0, properties: '{}', isGone: 1 })),
    ...persons.map((person) => ({ ...person, isGone: 0 })),
  ];
  const packed = packRows(rows, ({ uuid, createdAt, properties, isGone }) => ({
    project_id: projectId,
    person_id: checkedUuid(uuid),
    created_at: Math.trunc(createdAt),
    properties: clickhouseJson(properties),
    version,
    is_gone: isGone,
  }));
  await connection.insert('person_versions', packed);
  await notes.write({ [`${PREFIX}${projectId}`]: JSON.stringify(position) });
}

/** First the note: a copy of which only a part is left must not pass for a whole one. */
export async function deleteClickHouseMirror(
  connection: ClickHouseConnection,
  notes: StoreNotes,
  place: Topology,
  projectId: number,
): Promise<void> {
  await notes.delete(`${PREFIX}${projectId}`);
  await connection.run(`delete from ${mutableTable(place, 'person_versions')} where project_id = $1`, [projectId]);
}
