import { type DuckDBConnection, INTEGER, LIST, listValue, VARCHAR } from '@duckdb/node-api';
import type { DistinctIdMove, Reassigned, Reassignment } from '../events/reassignment.ts';
import { deleteLargeTextsSql } from './large-events-sql.ts';
import { countRows, readNumber } from './schema.ts';
import type { DuckDbSessions } from './session-rows.ts';

/** How many results are kept, for callers that repeat a reassignment after a crash. */
const MAX_KEPT_RESULTS = 10_000;

/** Applies a reassignment inside the caller's transaction, unless it was applied before. */
export async function reassignInDuckDb(
  connection: DuckDBConnection,
  sessions: DuckDbSessions,
  reassignment: Reassignment,
): Promise<Reassigned> {
  const { id } = reassignment;
  if (id <= (await readNumber(connection, 'select position from refiling_position'))) {
    return { id, events: await readEarlierResult(connection, id) };
  }
  const events =
    reassignment.kind === 'move'
      ? await move(connection, sessions, reassignment)
      : await remove(connection, sessions, reassignment);
  await connection.run('update refiling_position set position = $1', [id]);
  await connection.run('delete from refiled where id <= $1', [id - MAX_KEPT_RESULTS]);
  await connection.run('insert into refiled values ($1, $2)', [id, events]);
  return { id, events };
}

async function readEarlierResult(connection: DuckDBConnection, id: number): Promise<number> {
  const rows = await (await connection.run('select events from refiled where id = $1', [id])).getRowsJS();
  return Number(rows[0]?.[0] ?? 0);
}

/** The ids that queries show as this person: its own and overridden ones. */
const SHOWN_AS = `select $2::uuid
  union all
  select from_id from person_overrides where project_id = $1 and to_id = $2::uuid`;

/** Updates the rows: an override would slow down every later query. */
async function move(
  connection: DuckDBConnection,
  sessions: DuckDbSessions,
  { projectId, personId, moves }: Reassignment & { moves: readonly DistinctIdMove[] },
): Promise<number> {
  if (moves.length === 0) return 0;
  const to = listValue(moves.map((one) => one.to));
  const ids = listValue(moves.map((one) => one.distinctId));
  await sessions.noteChanged(connection, 'project_id = $1 and distinct_id in (select unnest($2))', [projectId, ids]);
  const result = await connection.run(
    `update event_rows
    set person_id = m.to_id
    from (select unnest($3) as distinct_id, unnest($4)::uuid as to_id) m
    where event_rows.project_id = $1
      and event_rows.distinct_id = m.distinct_id
      and event_rows.person_id in (${SHOWN_AS})`,
    [projectId, personId, ids, to],
  );
  await connection.run('delete from person_overrides where project_id = $1 and from_id in (select unnest($2)::uuid)', [
    projectId,
    to,
  ]);
  return result.rowsChanged;
}

async function remove(
  connection: DuckDBConnection,
  sessions: DuckDbSessions,
  { projectId, personId, distinctIds }: Reassignment & { distinctIds: readonly string[] },
): Promise<number> {
  const condition = `project_id = $1
    and (person_id in (${SHOWN_AS}) or distinct_id in (select unnest($3::varchar[])))`;
  // The type of an empty list is unknown otherwise.
  const types = [INTEGER, VARCHAR, LIST(VARCHAR)];
  const values = [projectId, personId, listValue([...distinctIds])];
  await sessions.noteChanged(connection, condition, values, types);
  await connection.run(deleteLargeTextsSql(condition), values, types);
  const result = await connection.run(`delete from event_rows where ${condition}`, values, types);
  await countRows(connection, -result.rowsChanged);
  await connection.run(`delete from person_rows where project_id = $1 and person_id in (${SHOWN_AS})`, [
    projectId,
    personId,
  ]);
  await connection.run(
    'delete from person_overrides where project_id = $1 and (from_id = $2::uuid or to_id = $2::uuid)',
    [projectId, personId],
  );
  return result.rowsChanged;
}
