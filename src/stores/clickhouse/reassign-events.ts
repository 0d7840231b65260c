/**
 * Applies reassignments. Without transactions, each is a series of repeatable steps: store the number of events, change
 * events and persons, then overrides (which select the events, so they come later), and finally the position.
 */
import { checkedUuid } from '../cluster/event-block.ts';
import type { SqlValue } from '../events/event-store.ts';
import type { DistinctIdMove, Reassigned, Reassignment } from '../events/reassignment.ts';
import type { ClickHouseConnection } from './connection.ts';
import type { StoreNotes } from './keyed-notes.ts';
import { listAliasIds, removeOverrides } from './overrides.ts';
import { mutableTable, type Topology } from './schema.ts';

/** How many results are kept, for callers that repeat a reassignment after a crash. */
const MAX_KEPT_RESULTS = 10_000;
const POSITION = 'refiling_position';
const noteOf = (id: number): string => `refiled/${String(id).padStart(16, '0')}`;

interface ReassignDeps {
  connection: ClickHouseConnection;
  notes: StoreNotes;
  topology: Topology;
}

export async function reassignInClickHouse(deps: ReassignDeps, reassignment: Reassignment): Promise<Reassigned> {
  const { notes } = deps;
  const { id } = reassignment;
  const stored = (await notes.read(noteOf(id))).get(noteOf(id));
  if (id <= (await notes.readNumber(POSITION))) return { id, events: Number(stored ?? 0) };
  const aliasIds = await listAliasIds(deps.connection, reassignment.projectId, reassignment.personId);
  const events = stored === undefined ? await count(deps, reassignment, aliasIds) : Number(stored);
  if (stored === undefined) await notes.write({ [noteOf(id)]: events });
  if (reassignment.kind === 'move') await move(deps, reassignment, aliasIds);
  else await remove(deps, reassignment, aliasIds);
  await notes.write({ [POSITION]: id, ...(id > MAX_KEPT_RESULTS ? { [noteOf(id - MAX_KEPT_RESULTS)]: '' } : {}) });
  return { id, events };
}

type MoveReassignment = Reassignment & { kind: 'move' };
type RemoveReassignment = Reassignment & { kind: 'remove' };

async function count(
  { connection }: ReassignDeps,
  reassignment: Reassignment,
  aliasIds: readonly string[],
): Promise<number> {
  const parts =
    reassignment.kind === 'remove'
      ? [removed(reassignment, aliasIds)]
      : batches(reassignment.moves).map((moves) => moved(reassignment, moves, aliasIds));
  let events = 0;
  for (const { where, values } of parts) {
    const [row] = await connection.queryConsistent(`select count(*) as n from event_rows where ${where}`, values);
    events += Number(row?.['n'] ?? 0);
  }
  return events;
}

interface Condition {
  where: string;
  values: SqlValue[];
}

/** Lists are bound as JSON. */
const TEXTS = (place: string): string => `JSONExtract(${place}, 'Array(String)')`;
const IDS = (place: string): string => `arrayMap(id -> toUUID(id), ${TEXTS(place)})`;

const moved = (
  { projectId }: Reassignment,
  moves: readonly DistinctIdMove[],
  aliasIds: readonly string[],
): Condition => ({
  where: `project_id = $1 and has(${TEXTS('$2')}, distinct_id) and has(${IDS('$3')}, person_id)`,
  values: [projectId, JSON.stringify(moves.map(({ distinctId }) => distinctId)), JSON.stringify(aliasIds)],
});

const removed = ({ projectId, distinctIds }: RemoveReassignment, aliasIds: readonly string[]): Condition => ({
  where: `project_id = $1 and (has(${IDS('$3')}, person_id) or has(${TEXTS('$2')}, distinct_id))`,
  values: [projectId, JSON.stringify(distinctIds), JSON.stringify(aliasIds)],
});

/** Updates the rows: an override would slow down every later query. */
async function move(
  { connection, topology }: ReassignDeps,
  reassignment: MoveReassignment,
  aliasIds: readonly string[],
): Promise<void> {
  for (const moves of batches(reassignment.moves)) {
    const { where, values } = moved(reassignment, moves, aliasIds);
    await connection.run(
      `alter table ${mutableTable(topology, 'event_rows')}
      update person_id = toUUID(transform(distinct_id, ${TEXTS('$2')}, ${TEXTS('$4')}, toString(person_id)))
      where ${where}`,
      [...values, JSON.stringify(moves.map(({ to }) => checkedUuid(to)))],
    );
  }
  if (reassignment.moves.length > 0) {
    await removeOverrides(connection, reassignment.projectId, [
      ...new Set(reassignment.moves.map(({ to }) => to.toLowerCase())),
    ]);
  }
}

async function remove(
  { connection, topology }: ReassignDeps,
  reassignment: RemoveReassignment,
  aliasIds: readonly string[],
): Promise<void> {
  const { where, values } = removed(reassignment, aliasIds);
  await connection.run(`delete from ${mutableTable(topology, 'event_rows')} where ${where}`, values);
  await connection.run(
    `delete from ${mutableTable(topology, 'person_versions')} where project_id = $1 and has(${IDS('$2')}, person_id)`,
    [reassignment.projectId, JSON.stringify(aliasIds)],
  );
  await removeOverrides(connection, reassignment.projectId, aliasIds);
}

/** Statements that write send their values in the URL, which servers limit to a megabyte. */
const MAX_BATCH_BYTES = 200_000;

function batches(moves: readonly DistinctIdMove[]): DistinctIdMove[][] {
  const all: DistinctIdMove[][] = [];
  let bytes = MAX_BATCH_BYTES;
  for (const one of moves) {
    const own = 3 * (one.distinctId.length + one.to.length) + 20;
    bytes += own;
    if (bytes > MAX_BATCH_BYTES) {
      all.push([]);
      bytes = own;
    }
    all.at(-1)?.push(one);
  }
  return all;
}
