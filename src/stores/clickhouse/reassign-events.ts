/**
 * Orders to file events elsewhere. There is no transaction, so an order is a row of steps of which each may be done
 * again: first it is written down what it will come to, then events and persons are changed, then overrides (which tell
 * whose events are meant, and so must not go before), and at the end the order counts as done.
 */
import { checkedUuid } from '../cluster/event-block.ts';
import type { SqlValue } from '../events/event-store.ts';
import type { DistinctIdMove, Reassigned, Reassignment } from '../events/reassignment.ts';
import type { ClickHouseConnection } from './connection.ts';
import type { StoreNotes } from './keyed-notes.ts';
import { listAliasIds, removeOverrides } from './overrides.ts';
import { mutableTable, type Topology } from './schema.ts';

/** What an order came to is kept for so many orders: long enough for the one who gave it to write it down. */
const MAX_KEPT_RESULTS = 10_000;
const POSITION = 'refiling_position';
const noteOf = (id: number): string => `refiled/${String(id).padStart(16, '0')}`;

interface ReassignDeps {
  connection: ClickHouseConnection;
  notes: StoreNotes;
  place: Topology;
}

export async function reassignInClickHouse(deps: ReassignDeps, order: Reassignment): Promise<Reassigned> {
  const { notes } = deps;
  const { id } = order;
  const said = (await notes.read(noteOf(id))).get(noteOf(id));
  if (id <= (await notes.readNumber(POSITION))) return { id, events: Number(said ?? 0) };
  const shown = await listAliasIds(deps.connection, order.projectId, order.personId);
  const events = said === undefined ? await count(deps, order, shown) : Number(said);
  if (said === undefined) await notes.write({ [noteOf(id)]: events });
  if (order.kind === 'move') await move(deps, order, shown);
  else await remove(deps, order, shown);
  await notes.write({ [POSITION]: id, ...(id > MAX_KEPT_RESULTS ? { [noteOf(id - MAX_KEPT_RESULTS)]: '' } : {}) });
  return { id, events };
}

type MoveOrder = Reassignment & { kind: 'move' };
type RemoveOrder = Reassignment & { kind: 'remove' };

async function count({ connection }: ReassignDeps, order: Reassignment, shown: readonly string[]): Promise<number> {
  const parts =
    order.kind === 'remove' ? [removed(order, shown)] : batches(order.moves).map((moves) => moved(order, moves, shown));
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

/** Lists travel as JSON: a value of any length, whatever is in it. */
const TEXTS = (place: string): string => `JSONExtract(${place}, 'Array(String)')`;
const IDS = (place: string): string => `arrayMap(id -> toUUID(id), ${TEXTS(place)})`;

const moved = ({ projectId }: Reassignment, moves: readonly DistinctIdMove[], shown: readonly string[]): Condition => ({
  where: `project_id = $1 and has(${TEXTS('$2')}, distinct_id) and has(${IDS('$3')}, person_id)`,
  values: [projectId, JSON.stringify(moves.map(({ distinctId }) => distinctId)), JSON.stringify(shown)],
});

const removed = ({ projectId, distinctIds }: RemoveOrder, shown: readonly string[]): Condition => ({
  where: `project_id = $1 and (has(${IDS('$3')}, person_id) or has(${TEXTS('$2')}, distinct_id))`,
  values: [projectId, JSON.stringify(distinctIds), JSON.stringify(shown)],
});

/** The rows themselves get the new person: an override would have to be asked about at every question for ever. */
async function move({ connection, place }: ReassignDeps, order: MoveOrder, shown: readonly string[]): Promise<void> {
  for (const moves of batches(order.moves)) {
    const { where, values } = moved(order, moves, shown);
    await connection.run(
      `alter table ${mutableTable(place, 'event_rows')}
      update person_id = toUUID(transform(distinct_id, ${TEXTS('$2')}, ${TEXTS('$4')}, toString(person_id)))
      where ${where}`,
      [...values, JSON.stringify(moves.map(({ to }) => checkedUuid(to)))],
    );
  }
  if (order.moves.length > 0) {
    await removeOverrides(connection, order.projectId, [...new Set(order.moves.map(({ to }) => to.toLowerCase()))]);
  }
}

async function remove(
  { connection, place }: ReassignDeps,
  order: RemoveOrder,
  shown: readonly string[],
): Promise<void> {
  const { where, values } = removed(order, shown);
  await connection.run(`delete from ${mutableTable(place, 'event_rows')} where ${where}`, values);
  await connection.run(
    `delete from ${mutableTable(place, 'person_versions')} where project_id = $1 and has(${IDS('$2')}, person_id)`,
    [order.projectId, JSON.stringify(shown)],
  );
  await removeOverrides(connection, order.projectId, shown);
}

/** Statements that change something carry their values in the address, of which servers take a megabyte. */
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
