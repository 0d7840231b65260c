/** Where PostgreSQL's values differ from SQLite's, and callers must not notice. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidOf } from '../../../test/contract/events.ts';
import {
  describeWithPostgres,
  freshDatabase,
  openPostgresSetup,
  type PostgresSetup,
} from '../../../test/support/postgres.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { NO_CHANGES } from '../ingest/no-changes.ts';
import { postgresDialect, readableJsonSql } from '../sql/postgres-dialect.ts';
import { openPostgresDatabase } from './metadata-store.ts';

describeWithPostgres(() => {
  let setup: PostgresSetup;
  beforeAll(async () => {
    setup = await openPostgresSetup();
  });
  afterAll(() => setup.remove());

  let numbers = 0;
  async function addPerson(distinctId: string, properties: JsonObject): Promise<void> {
    const uuid = uuidOf(++numbers);
    const person = { projectId: 1, uuid, createdAt: numbers, properties, isIdentified: false, version: 0 };
    const persons = [{ person, isNew: true, mergedInto: null }];
    const ops = [{ op: 'add_id' as const, projectId: 1, distinctId, personUuid: uuid }];
    await setup.ingest.transaction((store) =>
      store.apply({ ...NO_CHANGES, persons: { ...NO_CHANGES.persons, persons, ops } }),
    );
  }

  describe('text', () => {
    it('that PostgreSQL cannot store can be searched for, alone and in lists', async () => {
      await addPerson('a\ufffdb', { plain: true });
      const { subjects } = setup.metadata;
      for (const asked of ['a\0b', 'a\ud800b']) {
        expect((await subjects.getPerson(1, asked))?.properties).toEqual({ plain: true });
        expect([...(await subjects.getPersons(1, [asked, 'nobody'])).keys()]).toEqual(['a\ufffdb']);
        expect(
          await setup.metadata.persons.listIdsByEmails(1, [JSON.stringify(asked)], { limit: 1, offset: 0 }),
        ).toEqual([]);
      }
    });

    it.each([
      ['NUL', '\0'],
      ['half of a pair', '\ud800'],
      ['the other half', '\udc00x'],
      ['an escape that is none', '\\u0000'],
      ['escapes behind backslashes', '\\\\u0000\\\0\\\\\\ud800'],
      ['other control characters', '\u0001\u001f'],
      ['a whole pair', '😀'],
    ])('in JSON is stored unchanged: %s', async (_name, text) => {
      const properties = { email: `${text}@example.org`, [`key ${text}`]: [text], other: 1 };
      const distinctId = `json ${++numbers}`;
      await addPerson(distinctId, properties);
      expect((await setup.metadata.persons.getByDistinctId(1, distinctId))?.properties).toEqual(properties);
      const slice = await setup.metadata.persons.scan(1, null, 100, [], ['other']);
      expect(slice.persons.some((person) => person.properties['other'] === 1)).toBe(true);
    });

    it('is read as JSON with replacement characters and no other change', async () => {
      const read = async (json: string): Promise<unknown> => {
        const { rows } = await sql<{ json: unknown }>`
        select ${readableJsonSql(sql`t.given`)} as json from (select cast(${json} as text) as given) t`.execute(
          setup.db,
        );
        return rows[0]?.json;
      };
      const texts = ['\0a\0\0', '\ud800b', '\\u0000', '\\\\ud800', '\\\0', 'plain 😀 \u0007'];
      const expected = ['\ufffda\ufffd\ufffd', '\ufffdb', '\\u0000', '\\\\ud800', '\\\ufffd', 'plain 😀 \u0007'];
      expect(await read(JSON.stringify(texts))).toEqual(expected);
    });

    it('from clients may have any length', async () => {
      const long = Array.from({ length: 20_000 }, (_, n) => String.fromCodePoint(97 + ((n * 7919) % 26))).join('');
      await addPerson('long', { email: long, [long]: long });
      const asked = [JSON.stringify(long)];
      const { persons } = setup.metadata;
      const found = await persons.listByIds(1, await persons.listIdsByEmails(1, asked, { limit: 10, offset: 0 }));
      expect(found.map(({ properties }) => properties['email'] === long)).toEqual([true]);
      const groupTypes = [{ projectId: 1, index: 0, name: long }];
      await setup.ingest.transaction((store) => store.apply({ ...NO_CHANGES, groupTypes }));
      expect((await setup.metadata.groups.listTypes(1)).map(({ name }) => name === long)).toEqual([true]);
    });

    it('is sorted by bytes, whatever the collation of the database', async () => {
      const names = ['a', 'B', 'é', 'Z', '_', '1', 'ß', '😀', '\uffee'];
      const events = names.map((name, n) => ({ id: `o${n}`, projectId: 77, name, at: 1, createdAt: 1 }));
      await setup.ingest.transaction((store) => store.apply({ ...NO_CHANGES, events }));
      const inBytes = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect((await setup.metadata.definitions.listEvents(77)).map(({ name }) => name)).toEqual(inBytes);
      const { rows } = await sql<{ columns: number; binary: number }>`
      select count(*) as columns, count(*) filter (where collation_name = 'C') as "binary"
      from information_schema.columns where table_schema = 'public' and data_type = 'text'
        and table_name in ('persons', 'event_definitions', 'groups', 'feature_flags')`.execute(setup.db);
      expect(rows[0]?.columns).toBeGreaterThan(15);
      // Generated columns have the collation of what they are generated from.
      expect(rows[0]?.binary).toBe(rows[0]?.columns);
    });
  });

  describe('numbers', () => {
    it('are returned as numbers: counts, sums, ids and times beyond 32 bits', async () => {
      const { rows } = await sql<Record<string, unknown>>`
      select count(*) as count, sum(cast(n as bigint)) as sum, max(cast(9007199254740991 as bigint)) as most
      from generate_series(1, 3) as s(n)`.execute(setup.db);
      expect(rows[0]).toEqual({ count: 3, sum: 6, most: Number.MAX_SAFE_INTEGER });
    });

    it('that identify rows are never reused, even after the last row is deleted', async () => {
      const add = () =>
        setup.db
          .insertInto('deadLetters')
          .values({ projectId: 1, eventUuid: 'u', error: '', payload: '{}', context: '{}', receivedAt: 1, failedAt: 1 })
          .returning('id')
          .executeTakeFirstOrThrow();
      const { id } = await add();
      await setup.db.deleteFrom('deadLetters').where('id', '=', id).execute();
      expect((await add()).id).toBeGreaterThan(id);
    });
  });

  describe('rows as one value', () => {
    it('may exceed the limit on parameters', async () => {
      const rows = Array.from({ length: 70_000 }, (_, n) => ({ n, word: `w${n}` }));
      const table = postgresDialect.rows({ n: 'integer', word: 'text' }, rows);
      const found = await sql<{ count: number; last: string }>`
      select count(*) as count, max(case when r.n = 69999 then r.word end) as last from ${table} r`.execute(setup.db);
      expect(found.rows).toEqual([{ count: 70_000, last: 'w69999' }]);
    });
  });

  it('survives a change of a table under a prepared statement', async () => {
    const database = await freshDatabase();
    const db = openPostgresDatabase(database.url, { size: 1 });
    const ask = () => db.selectFrom('installation').selectAll().execute();
    for (let n = 0; n < 3; n++) await ask();
    await sql`alter table installation add column more text`.execute(db);
    expect(await ask()).toEqual([]);
    await db.destroy();
    await database.drop();
  });
});
