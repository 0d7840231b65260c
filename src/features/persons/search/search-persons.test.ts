import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidOf } from '../../../../test/contract/events.ts';
import { makeTempDir } from '../../../../test/contract/temp-dir.ts';
import { openMigratedStore } from '../../../../test/support/migrated-store.ts';
import { matches } from '../../../core/filters/matches.ts';
import { readFilters } from '../../../core/filters/parse-filters.ts';
import { FILTER_OPERATORS } from '../../../core/filters/property-filter.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { PersonOp, PersonState } from '../../../core/persons/person-changes.ts';
import { createPatternSearch } from '../../../lib/search-pattern.ts';
import { NO_CHANGES } from '../../../stores/ingest/no-changes.ts';
import type { PersonIndexWriter } from '../../../stores/metadata/person-index.ts';
import { sqliteDialect } from '../../../stores/sql/dialect.ts';
import { sqlPersonIndex } from '../../../stores/sql/person-index.ts';
import { openSqliteDatabase, type SqliteStores } from '../../../stores/sqlite/metadata-store.ts';
import { eachPersonIdBatch, listPersons, type PersonQuery } from './search-persons.ts';

const searchPattern = createPatternSearch();

/** Values that a prefilter in SQL might treat differently than the filter. */
const VALUES: Json[] = [
  'pro',
  'PRO plan',
  'a@Example.org',
  '"quoted"',
  'back\\slash',
  'ÉCOLE@x',
  'K\u212Aelvin@x',
  'line\nbreak',
  '',
  ' ',
  'null',
  '5',
  'true',
  '[1,2]',
  '{"a":1}',
  '100%',
  'a_b',
  '2020-01-05',
  5,
  0,
  -0.5,
  1e21,
  true,
  false,
  null,
  [1, 2],
  { a: 1 },
  { email: 'pro' },
  [],
];
const KEYS = ['email', 'plan', 'a.b', 'qu"ote', 'é'];

const value = fc.constantFrom(...VALUES);
const person = fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 4 });
const item = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      key: fc.constantFrom(...KEYS),
      value: fc.oneof(value, fc.array(value, { maxLength: 3 })),
      operator: fc.constantFrom(...FILTER_OPERATORS),
      type: fc.constant('person'),
      negation: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constant({ key: 'email', value: 'x', operator: 'is_date_exact', type: 'event', negation: true }),
  },
);
const type = fc.constantFrom('AND', 'OR');
const group = fc.record({ type, values: fc.array(item, { maxLength: 3 }) });
const filters = fc.record({ type, values: fc.array(group, { minLength: 1, maxLength: 3 }) });

const isComplete = ({ operator, value }: { operator?: unknown; value?: unknown }): boolean =>
  (value !== null && value !== undefined) || operator === 'is_set' || operator === 'is_not_set';

/** How much is indexed; the result must not depend on it. */
const INDEX_STATES = ['without the index', 'with the index', 'with an outdated index'] as const;

describe.each(INDEX_STATES)('searching persons %s', (state) => {
  const dir = makeTempDir();
  let stores: SqliteStores;
  let projectId = 0;
  let database: ReturnType<typeof openSqliteDatabase>;
  let index: PersonIndexWriter;
  beforeAll(async () => {
    stores = await openMigratedStore(dir.path('metadata.sqlite'));
    database = openSqliteDatabase(dir.path('metadata.sqlite'));
    index = sqlPersonIndex(database, sqliteDialect, { blockSize: 5, minChanges: 1 });
  });
  afterAll(async () => {
    await database.destroy();
    await stores.metadata.close();
    dir.remove();
  });
  const deps = () => {
    const { persons } = stores.metadata;
    const withoutIndex = { ...persons, listMatching: async () => null };
    return { persons: state === 'without the index' ? withoutIndex : persons, search: searchPattern };
  };

  let count = 0;
  /** Stores persons, each newer than the one before, with the distinct id `id <index>`. */
  async function store(all: readonly JsonObject[]): Promise<void> {
    projectId++;
    const persons = all.map((properties, i) => ({
      person: { projectId, uuid: uuidOf(++count), createdAt: i, properties, isIdentified: false, version: i },
      isNew: true,
      mergedInto: null,
    }));
    const ops = persons.map((one, i) => ({
      op: 'add_id' as const,
      projectId,
      distinctId: `id ${i}`,
      personUuid: one.person.uuid,
    }));
    const indexed = state === 'with the index' ? all.length : state === 'without the index' ? 0 : all.length >> 1;
    await write(persons.slice(0, indexed), ops.slice(0, indexed));
    while (indexed > 0 && (await index.catchUp()));
    await write(persons.slice(indexed), ops.slice(indexed));
  }
  const write = (persons: PersonState[], ops: PersonOp[]): Promise<void> => {
    const changes = { persons, ops, history: [], overrides: [] };
    return stores.ingest.transaction((tx) => tx.apply({ ...NO_CHANGES, persons: changes, position: count }));
  };
  const find = async (query: Omit<PersonQuery, 'projectId'>, page = { limit: 1000, offset: 0 }) =>
    (await listPersons(deps(), { projectId, ...query }, page)).persons.map(({ version }) => version);
  const noFilter = readFilters([]);

  it('finds the persons that match the filter', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(person, { minLength: 1, maxLength: 12 }), filters, async (all, given) => {
        await store(all);
        const filter = readFilters(JSON.parse(JSON.stringify(given)));
        // What is said of events has no effect, as if it were not there, and neither has a group of nothing else. Items
        // without a value to compare with are none to begin with.
        const own = readFilters({
          ...given,
          values: given.values
            .map((inner) => ({ ...inner, values: inner.values.filter(isComplete) }))
            .map((inner) => ({ inner, mine: inner.values.filter((one) => one.type === 'person') }))
            .filter(({ inner, mine }) => mine.length > 0 || inner.values.length === 0)
            .map(({ inner, mine }) => ({ ...inner, values: mine })),
        });
        const expected = all
          .flatMap((one, i) => (matches(own, { event: {}, person: one }, searchPattern) ? [i] : []))
          .reverse();
        expect(await find({ filter })).toEqual(expected);
        expect(await find({ filter }, { limit: 2, offset: 1 })).toEqual(expected.slice(1, 3));
      }),
      { numRuns: state === 'without the index' ? 100 : 50 },
    );
  });

  it('finds persons by e-mail, by part of it and by distinct id', async () => {
    const text = (given: JsonObject): string => {
      const { email } = given;
      if (!Object.hasOwn(given, 'email')) return '';
      return typeof email === 'string' ? email : (JSON.stringify(email) ?? '');
    };
    const asked = fc.oneof(
      fc.constantFrom('a@', 'EXAMPLE', 'é', 'k', '"', '\\', '5', 'true', '[', '1,2', 'id 0', 'id 1', '\n', '%', '_'),
      value.filter((one) => typeof one === 'string' && one !== '').map(String),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(person, { minLength: 1, maxLength: 12 }), asked, async (all, search) => {
        await store(all);
        const indexes = (fits: (one: JsonObject, i: number) => boolean): number[] =>
          all.flatMap((one, i) => (fits(one, i) ? [i] : [])).reverse();
        const part = search.toLowerCase();
        expect(await find({ search, filter: noFilter })).toEqual(
          indexes((one, i) => text(one).toLowerCase().includes(part) || search === `id ${i}`),
        );
        expect(await find({ email: search, filter: noFilter })).toEqual(indexes((one) => text(one) === search));
        expect(await find({ distinctId: search, filter: noFilter })).toEqual(indexes((_, i) => search === `id ${i}`));
      }),
      { numRuns: state === 'without the index' ? 100 : 50 },
    );
  });

  it('scans long lists in batches, and stops when it has enough', async () => {
    index = sqlPersonIndex(database, sqliteDialect, { blockSize: 300, minChanges: 1 });
    await store(Array.from({ length: 2500 }, (_, i) => ({ n: i, rare: i === 3 ? 'yes' : 'no', email: `${i}@x` })));
    expect(await find({ filter: readFilters({ rare: 'yes' }, { owner: 'person' }) })).toEqual([3]);
    const gt = readFilters({ n__gt: 9 }, { owner: 'person' });
    expect(await find({ filter: gt }, { limit: 2, offset: 2400 })).toEqual([99, 98]);
    const sizes: number[] = [];
    for await (const slice of eachPersonIdBatch(deps(), { projectId, filter: gt }, 1000)) sizes.push(slice.length);
    if (state === 'without the index') expect([sizes.length > 2, Math.max(...sizes) <= 1600]).toEqual([true, true]);
    else expect(sizes).toEqual([1000, 1490]);
    expect(await find({ search: '2499@x', filter: noFilter })).toEqual([2499]);
  });
});
