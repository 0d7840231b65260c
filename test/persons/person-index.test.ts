/** Persons who were there before there was an index of them, or whom the last process did not come to. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { startServer } from '../support/server.ts';

const PERSONS = 1100;
const uuidOf = (n: number): string => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

it('are in the index soon after the start, and found before as well as after', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-index-'));
  await (await startServer({ dataDir })).close();
  const database = new Database(join(dataDir, 'metadata.sqlite'));
  const insert = database.prepare(
    `insert into persons (project_id, uuid, created_at, properties, email, is_identified, version)
    values (1, ?, ?, ?, ?, 0, 0)`,
  );
  for (let n = 0; n < PERSONS; n++) {
    const email = `u${n}@example.org`;
    insert.run(uuidOf(n), n, JSON.stringify({ n, email }), JSON.stringify(email));
  }
  const server = await startServer({ dataDir });
  const found = async (query: string): Promise<string[]> => {
    const { body } = await clientFor(server).get(`/api/projects/1/persons/?${query}`);
    return body.results.map((person: { uuid: string }) => person.uuid);
  };
  const filter = encodeURIComponent(JSON.stringify([{ key: 'n', operator: 'lt', value: 3, type: 'person' }]));
  const answers = async () => [await found('search=U109'), await found(`properties=${filter}`)];
  const expected = [
    [1099, 1098, 1097, 1096, 1095, 1094, 1093, 1092, 1091, 1090, 109].map(uuidOf),
    [2, 1, 0].map(uuidOf),
  ];
  expect(await answers()).toEqual(expected);
  const indexed = database.prepare('select coalesce(sum(living), 0) from person_blocks').pluck();
  await expect.poll(() => indexed.get(), { timeout: 5000 }).toBe(PERSONS);
  expect(await answers()).toEqual(expected);
  database.close();
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
});
