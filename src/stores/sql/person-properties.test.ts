import Database from 'better-sqlite3';
import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { parseExact } from '../../core/json/exact-json.ts';
import type { Json, JsonObject } from '../../core/json/json.ts';
import { sqliteDialect } from './dialect.ts';
import { propertyColumns } from './person-properties.ts';
import { postgresDialect } from './postgres-dialect.ts';
import type { Tables } from './tables.ts';

const db = undefined as unknown as Kysely<Tables>;
/** What the column was generated from, until migration 46. */
const generated = new Database(':memory:').prepare<[string], string | null>(`select ? -> '$.email'`).pluck();

function expectSame(properties: JsonObject): void {
  const { properties: text, email } = propertyColumns({ db, dialect: sqliteDialect }, properties);
  expect(email).toBe(generated.get(text));
}

it.each<[string, Json]>([
  ['a usual one', 'ada@example.org'],
  ['NUL', 'a\0b\0'],
  ['halves of pairs', '\ud800\udc00 \ud800 \udc00'],
  ['other escapes', '\\u0000 \\\\ \u0001\u001f\u007f\u2028 \b\f\n\r\t " / \''],
  ['null', null],
  ['a boolean', false],
  ['numbers', [5, -0, 1e21, 1.5e-7, 0.1, Number.MAX_VALUE]],
  ['long numbers', [12345678901234567890n, -(10n ** 300n)]],
  ['a text of digits', '5'],
  ['an empty text', ''],
  ['an object', { email: 'inner', 'a b': [{}], '': null }],
])('an e-mail has the text that it has in the properties: %s', (_name, email) => {
  expectSame({ a: 1, email, z: { email: 'other' } });
});

it('any e-mail has the text that it has in the properties', () => {
  const texts = fc.string({ unit: 'binary' });
  const email = fc.option(fc.oneof(texts, fc.jsonValue({ stringUnit: 'binary' }), fc.bigInt()), { nil: undefined });
  const given = fc.tuple(email, fc.dictionary(fc.oneof(texts, fc.constant('$.email')), fc.jsonValue({ maxDepth: 1 })));
  fc.assert(
    fc.property(given, ([own, { email: _, ...others }]) => {
      expectSame(own === undefined ? (others as JsonObject) : ({ ...others, email: own } as JsonObject));
    }),
  );
});

it('is absent without an e-mail, and where the database generates it', () => {
  expect(propertyColumns({ db, dialect: sqliteDialect }, parseExact('{"emails":1}'))).toEqual({
    properties: '{"emails":1}',
    email: null,
  });
  expect(propertyColumns({ db, dialect: postgresDialect }, { email: 'a@x' })).toEqual({
    properties: '{"email":"a@x"}',
  });
});
