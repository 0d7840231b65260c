/**
 * Searches the person index. A search reads one snapshot of the database on its own connection, so concurrent writes do
 * not matter. Between two blocks other requests get their turn.
 */
import type Database from 'better-sqlite3';
import { parseExact } from '../../core/json/exact-json.ts';
import { type ColumnFilter, matchesPerson, matching, type PersonRows } from '../../core/persons/person-columns.ts';
import { createPause } from '../../lib/in-batches.ts';
import { MIRROR_START } from '../events/person-mirror.ts';
import { MAX_UNINDEXED_PERSONS } from '../metadata/person-index.ts';
import type { ListedPerson, PersonCursor } from '../metadata/persons.ts';
import { FirstPersons } from '../sql/first-persons.ts';
import { type BlockHeader, type IndexedPerson, takeMatching, toFloat64s, toUint16s } from '../sql/person-blocks.ts';
import { ConnectionPool } from './connection-pool.ts';
import { isBusy } from './driver.ts';

interface BlockRow {
  id: number;
  persons: number;
  newest: number;
  oldest: number;
}

interface PlacesRow {
  owners: Uint8Array | null;
  places: Uint8Array;
}

function prepare(database: Database.Database) {
  return {
    database,
    begin: database.prepare('begin'),
    commit: database.prepare('commit'),
    position: database.prepare<[number], { change: number; id: number }>(
      'select change, person_id as id from person_index_positions where project_id = ?',
    ),
    changed: database.prepare<[number, number, number, number], IndexedPerson>(
      `select id, uuid, created_at as createdAt, properties from persons
      where project_id = ? and (change, id) > (?, ?) limit ?`,
    ),
    deleted: database.prepare<[number], number>('select person_id from gone_persons where project_id = ?').pluck(),
    blocks: database.prepare<[number], BlockRow>(
      'select id, persons, newest, oldest from person_blocks where project_id = ? and living > 0 order by newest desc',
    ),
    header: database.prepare<[number], BlockHeader>('select lives, ids, times, uuids from person_blocks where id = ?'),
    ids: database.prepare<[number], Uint8Array>('select ids from person_blocks where id = ?').pluck(),
    place: database.prepare<[number, number], { block_id: number; place: number }>(
      'select block_id, place from person_places where project_id = ? and person_id = ?',
    ),
    values: database
      .prepare<[number, string, number], string>(
        'select distinct_values from person_columns where project_id = ? and name = ? and block_id = ?',
      )
      .pluck(),
    places: database.prepare<[number, string, number], PlacesRow>(
      'select owners, places from person_columns where project_id = ? and name = ? and block_id = ?',
    ),
  };
}

type View = ReturnType<typeof prepare>;

type Pause = ReturnType<typeof createPause>;

interface Search {
  projectId: number;
  filter: ColumnFilter;
  after: PersonCursor | null;
  limit: number;
}

export class PersonIndexReader {
  readonly #views: ConnectionPool<View>;

  constructor(open: () => Database.Database) {
    this.#views = new ConnectionPool(() => prepare(open()));
  }

  /** Null if too many persons are not indexed yet, and while SQLite recovers its journal. */
  listMatching(
    projectId: number,
    filter: ColumnFilter,
    after: PersonCursor | null,
    limit: number,
  ): Promise<ListedPerson[] | null> {
    return this.#views.use(async (view) => {
      view.begin.run();
      try {
        return await findMatching(view, { projectId, filter, after, limit });
      } catch (error) {
        if (isBusy(error)) return null;
        throw error;
      } finally {
        view.commit.run();
      }
    });
  }

  close(): void {
    this.#views.close();
  }
}

async function findMatching(view: View, search: Search): Promise<ListedPerson[] | null> {
  const { projectId, filter, after, limit } = search;
  const { change, id } = view.position.get(projectId) ?? MIRROR_START;
  const changed = view.changed.all(projectId, change, id, MAX_UNINDEXED_PERSONS + 1);
  if (changed.length > MAX_UNINDEXED_PERSONS) return null;
  const first = new FirstPersons(after, limit);
  // Blocks are outdated for these persons.
  const outdated = new Set(view.deleted.all(projectId));
  const pause = createPause();
  for (const person of changed) {
    outdated.add(person.id);
    if (first.canTake(person) && matchesPerson(filter, person.id, parseExact(person.properties))) first.take(person);
    await pause();
  }
  for (const block of view.blocks.all(projectId)) {
    if (!first.canTakeFrom(block)) continue;
    await searchBlock(view, search, block, { outdated, first, pause });
    await pause();
  }
  return first.list();
}

async function searchBlock(
  view: View,
  { projectId, filter }: Search,
  block: BlockRow,
  { outdated, first, pause }: { outdated: ReadonlySet<number>; first: FirstPersons; pause: Pause },
): Promise<void> {
  const matches = await matching(filter, rowsOf(view, projectId, block), pause);
  if (matches === null || !matches.includes(1)) return;
  takeMatching(matches, view.header.get(block.id) as BlockHeader, outdated, first);
}

/** The columns of a block, read on demand. */
const rowsOf = (view: View, projectId: number, block: BlockRow): PersonRows => ({
  count: block.persons,
  ids: () => toFloat64s(view.ids.get(block.id) as Uint8Array),
  rowOf: (id) => {
    const place = view.place.get(projectId, id);
    return place?.block_id === block.id ? place.place : undefined;
  },
  column: (name) => {
    const values = view.values.get(projectId, name, block.id);
    if (values === undefined) return undefined;
    const rest = () => {
      const { owners, places } = view.places.get(projectId, name, block.id) as PlacesRow;
      return { rows: owners && toUint16s(owners), places: toUint16s(places) };
    };
    return { values, rest };
  },
});
