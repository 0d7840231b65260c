import { checkedUuid, packRows } from '../cluster/event-block.ts';
import type { PersonOverride } from '../events/event-store.ts';
import { affectedBy, FlatOverrides } from '../events/flat-overrides.ts';
import type { ClickHouseConnection } from './connection.ts';

const ROWS = 'person_override_rows';

/**
 * Writes overrides: reads those that they may change, flattens them and inserts the changes at once. Rows store their
 * position, because applying the same merges twice may give another result: what was written is not applied again.
 */
export async function writeClickHouseOverrides(
  connection: ClickHouseConnection,
  overrides: readonly PersonOverride[],
  position: number,
): Promise<void> {
  if (overrides.length === 0) return;
  const wanted = overrides.map(lowerCase);
  const { affected, last } = await readAffected(connection, wanted);
  if (last.position >= position) return;
  const flat = new FlatOverrides(affected);
  for (const override of wanted) flat.add(override);
  await insertOverrides(connection, flat.changes(), position, last.version + 1);
}

export async function removeOverrides(
  connection: ClickHouseConnection,
  projectId: number,
  from: readonly string[],
): Promise<void> {
  const { last } = await readAffected(connection, []);
  const ended = from.map((id) => ({ projectId, from: id, to: id }));
  await insertOverrides(connection, ended, 0, last.version + 1);
}

const lowerCase = ({ projectId, from, to }: PersonOverride): PersonOverride => ({
  projectId,
  from: checkedUuid(from).toLowerCase(),
  to: checkedUuid(to).toLowerCase(),
});

const insertOverrides = (
  connection: ClickHouseConnection,
  changes: readonly PersonOverride[],
  position: number,
  version: number,
): Promise<void> =>
  connection.insert(
    ROWS,
    packRows(changes, ({ projectId, from, to }) => ({
      project_id: projectId,
      from_id: from,
      to_id: to,
      position,
      version,
    })),
  );

interface Affected {
  affected: PersonOverride[];
  /** Of all rows. */
  last: { position: number; version: number };
}

/** In one query: the overrides that these may change, and the table's last position and version. */
async function readAffected(connection: ClickHouseConnection, overrides: readonly PersonOverride[]): Promise<Affected> {
  const { ids, moved } = affectedBy(overrides);
  const rows = await connection.queryConsistent(
    `with arrayMap(id -> toUUID(id), arrayFilter(id -> id != '', splitByChar(',', $1))) as ids,
      arrayMap(id -> toUUID(id), arrayFilter(id -> id != '', splitByChar(',', $2))) as moved
    select toInt64(project_id) as project, toString(from_id) as from_text, toString(to_id) as to_text,
      toInt64(0) as last_version, toInt64(0) as last_position
    from person_overrides where has(ids, from_id) or has(moved, to_id)
    union all
    select toInt64(0), '', '', toInt64(ifNull(max(version), 0)), toInt64(ifNull(max(position), 0)) from ${ROWS}`,
    [ids.join(','), moved.join(',')],
  );
  const affected: PersonOverride[] = [];
  const last = { position: 0, version: 0 };
  for (const row of rows) {
    last.position = Math.max(last.position, Number(row['last_position']));
    last.version = Math.max(last.version, Number(row['last_version']));
    if (row['from_text'] !== '') {
      affected.push({ projectId: Number(row['project']), from: String(row['from_text']), to: String(row['to_text']) });
    }
  }
  return { affected, last };
}

/** The ids that queries show as this person: its own and overridden ones. */
export async function listAliasIds(
  connection: ClickHouseConnection,
  projectId: number,
  personId: string,
): Promise<string[]> {
  const rows = await connection.queryConsistent(
    'select toString(from_id) as id from person_overrides where project_id = $1 and to_id = toUUID($2)',
    [projectId, checkedUuid(personId)],
  );
  return [personId.toLowerCase(), ...rows.map((row) => String(row['id']))];
}
