import { type DuckDBConnection, INTEGER, LIST, listValue, VARCHAR } from '@duckdb/node-api';
import type { EventStore } from '../events/event-store.ts';
import { MIRROR_START, type MirrorBatch, type MirrorPosition } from '../events/person-mirror.ts';
import { appendChunks } from './append-chunks.ts';
import { personChunks } from './event-rows.ts';
import type { PromotedColumn } from './promoted-columns.ts';

/** Writes a batch inside the caller's transaction. Deletes its persons first, so that none is there twice. */
export async function writeDuckDbMirror(
  connection: DuckDBConnection,
  batch: MirrorBatch,
  promoted: readonly PromotedColumn[],
): Promise<void> {
  const { projectId, removed, persons, position } = batch;
  const ids = [...removed, ...persons.map(({ uuid }) => uuid)];
  if (ids.length > 0) {
    await connection.run(
      'delete from person_rows where project_id = $1 and person_id in (select unnest($2::varchar[])::uuid)',
      [projectId, listValue(ids)],
      [INTEGER, LIST(VARCHAR)],
    );
  }
  await appendChunks(connection, 'person_rows', personChunks(batch, promoted));
  await connection.run('delete from person_positions where project_id = $1', [projectId]);
  await connection.run('insert into person_positions values ($1, $2, $3)', [
    projectId,
    BigInt(position.change),
    BigInt(position.id),
  ]);
}

export async function deleteDuckDbMirror(connection: DuckDBConnection, projectId: number): Promise<void> {
  await connection.run('delete from person_rows where project_id = $1', [projectId]);
  await connection.run('delete from person_positions where project_id = $1', [projectId]);
}

export async function readDuckDbMirrorPosition(query: EventStore['query'], projectId: number): Promise<MirrorPosition> {
  const [row] = await query('select change, id from person_positions where project_id = $1', [projectId]);
  return row === undefined ? MIRROR_START : { change: Number(row['change']), id: Number(row['id']) };
}

export async function readMirroredProjects(query: EventStore['query']): Promise<number[]> {
  const rows = await query('select project_id from person_positions order by project_id', []);
  return rows.map((row) => Number(row['project_id']));
}
