import { checkedUuid, clickhouseJson, packRows } from '../cluster/event-block.ts';
import { MIRROR_START, type MirrorBatch, type MirrorPosition } from '../events/person-mirror.ts';
import type { ClickHouseConnection } from './connection.ts';
import type { StoreNotes } from './keyed-notes.ts';
import { mutableTable, type Topology } from './schema.ts';

const PREFIX = 'persons/';

/** How far the copy of each project's persons reaches: a note that is written after the persons. */
export async function readMirrorPositions(notes: StoreNotes): Promise<Map<number, MirrorPosition>> {
  const found = await notes.read(PREFIX);
  return new Map(
    [...found].map(([name, value]) => [Number(name.slice(PREFIX.length)), JSON.parse(value) as MirrorPosition]),
  );
}

export const readClickHouseMirrorPosition = async (notes: StoreNotes, projectId: number): Promise<MirrorPosition> =>
  (await readMirrorPositions(notes)).get(projectId) ?? MIRROR_START;

/**
 * Adds a new version of each person of the batch, which replaces older ones; removed persons get a version that says so.
 * The change number is the version, so repeating a batch changes nothing.
 */
export async function writeClickHouseMirror(
  connection: ClickHouseConnection,
  notes: StoreNotes,
  batch: MirrorBatch,
): Promise<void> {
  const { projectId, removed, persons, position } = batch;
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

/** Deletes the note first, so that a partial copy is never treated as complete. */
export async function deleteClickHouseMirror(
  connection: ClickHouseConnection,
  notes: StoreNotes,
  topology: Topology,
  projectId: number,
): Promise<void> {
  await notes.delete(`${PREFIX}${projectId}`);
  await connection.run(`delete from ${mutableTable(topology, 'person_versions')} where project_id = $1`, [projectId]);
}
