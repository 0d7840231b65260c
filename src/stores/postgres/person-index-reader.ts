/**
 * Searches the person index, like `sqlite/person-index-reader.ts`, on one snapshot of the database. Every query is a
 * round trip here, so all columns that a block may need are read at once.
 */
import { type Kysely, sql } from 'kysely';
import { parseExact } from '../../core/json/exact-json.ts';
import { type ColumnFilter, matchesPerson, matching, type PersonRows } from '../../core/persons/person-columns.ts';
import { createPause } from '../../lib/in-batches.ts';
import { MIRROR_START } from '../events/person-mirror.ts';
import { MAX_UNINDEXED_PERSONS } from '../metadata/person-index.ts';
import type { PersonStore } from '../metadata/persons.ts';
import { FirstPersons } from '../sql/first-persons.ts';
import { takeMatching, toFloat64s, toUint16s } from '../sql/person-blocks.ts';
import type { Tables } from '../sql/tables.ts';

type ListMatching = PersonStore['listMatching'];
type Db = Kysely<Tables>;

/** What a filter reads. */
interface Needs {
  keys: Set<string>;
  persons: Set<number>;
  ids: boolean;
}

function needsOf(filter: ColumnFilter, needs: Needs = { keys: new Set(), persons: new Set(), ids: false }): Needs {
  if (filter.kind === 'property') needs.keys.add(filter.key);
  else if (filter.kind === 'named') needs.persons.add(filter.id);
  else if (filter.kind === 'person') needs.ids = true;
  else for (const inner of filter.tests) needsOf(inner, needs);
  return needs;
}

export const personIndexReader =
  (db: Db): ListMatching =>
  (...args) =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute((view) => find(view, ...args));

/** Null if too many persons are not indexed yet. */
async function find(
  view: Db,
  ...[projectId, filter, after, limit]: Parameters<ListMatching>
): ReturnType<ListMatching> {
  const changed = await changedSince(view, projectId);
  if (changed.length > MAX_UNINDEXED_PERSONS) return null;
  const deleted = await view.selectFrom('gonePersons').select('personId').where('projectId', '=', projectId).execute();
  const first = new FirstPersons(after, limit);
  // Blocks are outdated for these persons.
  const outdated = new Set(deleted.map(({ personId }) => personId));
  const pause = createPause();
  for (const person of changed) {
    outdated.add(person.id);
    if (first.canTake(person) && matchesPerson(filter, person.id, parseExact(person.properties))) first.take(person);
    await pause();
  }
  const needs = needsOf(filter);
  const places = await placesOf(view, projectId, needs);
  const blocks = view.selectFrom('personBlocks').select(['id', 'persons', 'newest', 'oldest']);
  const used = await blocks
    .where('projectId', '=', projectId)
    .where('living', '>', 0)
    .orderBy('newest', 'desc')
    .execute();
  for (const block of used) {
    if (!first.canTakeFrom(block)) continue;
    const matches = await matching(filter, await rowsOf(view, block, needs, places), pause);
    if (!matches?.includes(1)) continue;
    takeMatching(matches, await readHeader(view, block.id), outdated, first);
  }
  return first.list();
}

async function changedSince(view: Db, projectId: number) {
  const ofProject = view.selectFrom('personIndexPositions').where('projectId', '=', projectId);
  const position = await ofProject.select(['change', 'personId as id']).executeTakeFirst();
  const { change, id } = position ?? MIRROR_START;
  return view
    .selectFrom('persons')
    .select(['id', 'uuid', 'createdAt', 'properties'])
    .where('projectId', '=', projectId)
    .where(sql<boolean>`(change, id) > (${change}, ${id})`)
    .limit(MAX_UNINDEXED_PERSONS + 1)
    .execute();
}

type Places = ReadonlyMap<number, { blockId: number; place: number }>;

async function placesOf(view: Db, projectId: number, { persons }: Needs): Promise<Places> {
  if (persons.size === 0) return new Map();
  const rows = await view
    .selectFrom('personPlaces')
    .select(['personId', 'blockId', 'place'])
    .where('projectId', '=', projectId)
    .where('personId', 'in', [...persons])
    .execute();
  return new Map(rows.map(({ personId, ...place }) => [personId, place]));
}

const readHeader = (view: Db, blockId: number) =>
  view
    .selectFrom('personBlocks')
    .select(['lives', 'ids', 'times', 'uuids'])
    .where('id', '=', blockId)
    .executeTakeFirstOrThrow();

/** The columns of a block that the filter reads. */
async function rowsOf(
  view: Db,
  block: { id: number; persons: number },
  needs: Needs,
  places: Places,
): Promise<PersonRows> {
  const ofBlock = view.selectFrom('personColumns').where('blockId', '=', block.id);
  const columns =
    needs.keys.size === 0
      ? []
      : await ofBlock
          .select(['name', 'distinctValues', 'owners', 'places'])
          .where(sql<boolean>`name = any(${[...needs.keys]})`)
          .execute();
  const byName = new Map(columns.map((column) => [column.name, column]));
  const ids = needs.ids ? toFloat64s((await readHeader(view, block.id)).ids) : [];
  return {
    count: block.persons,
    ids: () => ids,
    rowOf: (id) => {
      const place = places.get(id);
      return place?.blockId === block.id ? place.place : undefined;
    },
    column: (name) => {
      const column = byName.get(name);
      if (column === undefined) return undefined;
      const { distinctValues: values, owners, places: inList } = column;
      return { values, rest: () => ({ rows: owners && toUint16s(owners), places: toUint16s(inList) }) };
    },
  };
}
