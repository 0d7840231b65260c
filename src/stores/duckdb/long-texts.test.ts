import { type DuckDBConnection, DuckDBDataChunk, DuckDBInstance, VARCHAR } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appendChunks } from './append-chunks.ts';
import { CHUNK_ROWS, textColumn } from './column-writer.ts';

type Texts = readonly (string | null)[];

describe('texts of a column', () => {
  let instance: DuckDBInstance;
  let connection: DuckDBConnection;

  beforeAll(async () => {
    instance = await DuckDBInstance.create(':memory:');
    connection = await instance.connect();
    await connection.run('create table texts (one varchar, other varchar)');
  });
  afterAll(() => {
    connection.closeSync();
    instance.closeSync();
  });

  /** Two columns in one chunk, since all use the same memory. */
  async function stored(texts: Texts): Promise<Texts> {
    const rows = texts.map((text) => ({ text }));
    const column = textColumn<(typeof rows)[number]>(({ text }) => text);
    const chunk = DuckDBDataChunk.create([VARCHAR, VARCHAR], rows.length);
    column(chunk, 0, rows);
    textColumn<(typeof rows)[number]>(({ text }) => text && `${text}!`)(chunk, 1, rows);
    await connection.run('delete from texts');
    await appendChunks(connection, 'texts', [chunk]);
    const result = await connection.run(
      'select one, other, octet_length(encode(one)) as bytes from texts order by rowid',
    );
    const found = await result.getRowObjectsJS();
    for (const { one, other, bytes } of found) {
      expect(other).toBe(one === null ? null : one === '' ? '' : `${one}!`);
      expect(bytes === null ? null : Number(bytes)).toBe(one === null ? null : Buffer.byteLength(String(one)));
    }
    return found.map(({ one }) => one as string | null);
  }

  it('are as they were, around the lengths at which they are stored otherwise', async () => {
    const lengths = [0, 1, 3, 4, 5, 11, 12, 13, 14, 15, 16, 17, 31, 32, 33, 255, 256, 257];
    const texts = lengths.flatMap((length) => ['x'.repeat(length), 'é'.repeat(length), '€'.repeat(length), null]);
    expect(await stored(texts)).toEqual(texts);
  });

  it('are as they were where a column has many bytes, and one text more than all others', async () => {
    const texts = Array.from({ length: CHUNK_ROWS }, (_, at) => (at % 7 === 0 ? null : `${at}-`.repeat(100 + at)));
    texts[1000] = '€'.repeat(200_000);
    texts[1001] = 'x'.repeat(300_000);
    expect(await stored(texts)).toEqual(texts);
  });

  it('have a sign in the place of half of a surrogate pair', async () => {
    const half = 'twelve letters \ud800 and more';
    expect(await stored([half, '\ud800'])).toEqual([half.replace('\ud800', '\ufffd'), '\ufffd']);
  });

  it('are as they were in random columns', async () => {
    const text = fc.oneof(
      fc.string({ maxLength: 40, unit: 'grapheme' }),
      fc.string({ minLength: 10, maxLength: 14, unit: 'binary' }),
      fc.string({ maxLength: 3000, unit: 'grapheme-ascii' }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text), { minLength: 1, maxLength: 300 }), async (texts) => {
        expect(await stored(texts)).toEqual(texts);
      }),
      { numRuns: 100 },
    );
  });
});
