import { type DuckDBConnection, listValue } from '@duckdb/node-api';
import type { PersonOverride } from '../events/event-store.ts';
import { affectedBy, FlatOverrides } from '../events/flat-overrides.ts';
import { appendChunks } from './append-chunks.ts';
import { overrideChunks } from './event-rows.ts';

/**
 * Writes overrides inside the caller's transaction: reads those that they may change, flattens them and replaces the rows
 * that differ. Three statements for any number of overrides. Returns them with those that they changed.
 */
export async function writeDuckDbOverrides(
  connection: DuckDBConnection,
  overrides: readonly PersonOverride[],
): Promise<readonly PersonOverride[]> {
  if (overrides.length === 0) return [];
  const wanted = overrides.map(lowerCase);
  const flat = new FlatOverrides(await readAffected(connection, wanted));
  for (const override of wanted) flat.add(override);
  const changes = flat.changes();
  await replace(connection, changes);
  return [...changes, ...wanted];
}

/** DuckDB returns UUIDs in lower case. */
const lowerCase = ({ projectId, from, to }: PersonOverride): PersonOverride => ({
  projectId,
  from: from.toLowerCase(),
  to: to.toLowerCase(),
});

async function readAffected(
  connection: DuckDBConnection,
  overrides: readonly PersonOverride[],
): Promise<PersonOverride[]> {
  const { ids, moved } = affectedBy(overrides);
  const result = await connection.run(
    `select project_id, from_id, to_id
    from person_overrides
    where from_id in (select unnest($1)::uuid) or to_id in (select unnest($2)::uuid)`,
    [listValue(ids), listValue(moved)],
  );
  const rows = await result.getRowsJS();
  return rows.map(([projectId, from, to]) => ({ projectId: Number(projectId), from: String(from), to: String(to) }));
}

async function replace(connection: DuckDBConnection, changes: readonly PersonOverride[]): Promise<void> {
  if (changes.length === 0) return;
  await connection.run(
    `delete from person_overrides
    where (project_id, from_id) in (select unnest($1), unnest($2)::uuid)`,
    [listValue(changes.map(({ projectId }) => projectId)), listValue(changes.map(({ from }) => from))],
  );
  const kept = changes.filter(({ from, to }) => from !== to);
  await appendChunks(connection, 'person_overrides', overrideChunks(kept));
}
