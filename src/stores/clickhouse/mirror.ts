import { checkedUuid, jsonText, packRows } from '../cluster/event-block.ts';
import { MIRROR_START, type MirrorPosition, type MirrorSlice } from '../events/person-mirror.ts';
import type { Connection } from './connection.ts';
import type { Notes } from './keyed-notes.ts';
import { changed, type Place } from './schema.ts';

const PREFIX = 'persons/';

/** How far the copy of each project's persons reaches: told in a note of its own, after the persons. */
export async function mirrorPositions(notes: Notes): Promise<Map<number, MirrorPosition>> {
  const found = await notes.read(PREFIX);
  return new Map(
    [...found].map(([name, value]) => [Number(name.slice(PREFIX.length)), JSON.parse(value) as MirrorPosition]),
  );
}

export const mirrorPosition = async (notes: Notes, projectId: number): Promise<MirrorPosition> =>
  (await mirrorPositions(notes)).get(projectId) ?? MIRROR_START;

/**
 * Adds a newer version of everybody in the slice, which takes the place of older ones; whoever is no more gets a version
 * that says so. The number of the change is the version, so a slice that comes twice leaves what the first one did.
 */
export async function writeMirror(connection: Connection, notes: Notes, slice: MirrorSlice): Promise<void> {
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
    properties: jsonText(properties),
    version,
    is_gone: isGone,
  }));
  await connection.insert('person_versions', packed);
  await notes.write({ [`${PREFIX}${projectId}`]: JSON.stringify(position) });
}

/** First the note: a copy of which only a part is left must not pass for a whole one. */
export async function forgetPersons(
  connection: Connection,
  notes: Notes,
  place: Place,
  projectId: number,
): Promise<void> {
  await notes.forget(`${PREFIX}${projectId}`);
  await connection.run(`delete from ${changed(place, 'person_versions')} where project_id = $1`, [projectId]);
}
