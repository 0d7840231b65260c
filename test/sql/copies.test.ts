/** The files that statements read: a copy of the project, and what was added since. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { isEmbedded, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ now: '2026-01-15T12:00:00Z' });
});
afterAll(() => server.close());

/** Two persons take turns. */
const send = (count: number, note: string) =>
  capture(
    server,
    server.projectKey,
    Array.from({ length: count }, (_, i) => ({
      event: note,
      distinct_id: `${note}-${i % 2}`,
      timestamp: '2026-01-15T09:00:00Z',
      properties: { $set: { note } },
    })),
  );

const answerTo = async (sql: string) =>
  (
    await clientFor(server).post('/api/projects/1/query/', {
      body: { query: { kind: 'HogQLQuery', query: sql }, refresh: 'force_blocking' },
    })
  ).body.results;

/** How many events each file has, the largest first. */
async function eventsInFiles(): Promise<number[]> {
  const folder = join(server.dataDir, 'sql');
  const counts: number[] = [];
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' }).catch((error: unknown) => {
      // It has been replaced and was removed by now.
      if (existsSync(path)) throw error;
    });
    if (instance === undefined) continue;
    const connection = await instance.connect();
    const [row] = await (await connection.run('select count(*)::int from event_rows')).getRowsJS();
    counts.push(Number(row?.[0]));
    connection.closeSync();
    instance.closeSync();
  }
  return counts.sort((a, b) => b - a);
}

const BY_EVENT = 'select event, count(), uniq(person_id) from events group by event order by event';

describe.skipIf(!isEmbedded)('the copy of a project', () => {
  it('is read together with what was added since', async () => {
    await send(100, 'first');
    expect(await answerTo(BY_EVENT)).toEqual([['first', 100, 2]]);
    expect(await eventsInFiles()).toEqual([100]);
    await send(7, 'second');
    expect(await answerTo(BY_EVENT)).toEqual([
      ['first', 100, 2],
      ['second', 7, 2],
    ]);
    expect(await eventsInFiles()).toEqual([100, 7]);
    expect(await answerTo('select count() from persons where properties.note is not null')).toEqual([[4]]);
  });

  it('has the persons of now, also for events of before', async () => {
    await capture(server, server.projectKey, [
      { event: '$identify', distinct_id: 'first-user', properties: { $anon_distinct_id: 'first-0' } },
      { event: '$create_alias', distinct_id: 'first-user', properties: { alias: 'first-1' } },
    ]);
    expect(await answerTo(`select count(), uniq(person_id) from events where event = 'first'`)).toEqual([[100, 1]]);
  });

  it('has distinct ids, groups and cohorts', async () => {
    const company = (key: string, set: object) => ({ $group_type: 'company', $group_key: key, $group_set: set });
    await capture(server, server.projectKey, [
      { event: 'visit', distinct_id: 'ann' },
      { event: '$groupidentify', distinct_id: 'bob', properties: company('a name that is rather long', {}) },
      { event: '$groupidentify', distinct_id: 'bob', properties: company('zoo', { size: 3, town: 'Köln 💥' }) },
    ]);
    const isFirst = { type: 'AND', values: [{ type: 'person', key: 'note', value: 'first', operator: 'exact' }] };
    for (const body of [
      { name: 'Friends', is_static: true, _create_static_person_ids: ['ann', 'bob'] },
      { name: 'First', filters: { properties: { type: 'AND', values: [isFirst] } } },
    ]) {
      expect(await clientFor(server).post('/api/projects/1/cohorts/', { body })).toMatchObject({ status: 201 });
    }
    await server.settleCohorts();
    expect(
      await answerTo(`select distinct_id, is_identified from person_distinct_ids d join persons p on p.id = d.person_id
        where distinct_id in ('ann', 'first-user', 'first-0') order by 1`),
    ).toEqual([
      ['ann', false],
      ['first-0', true],
      ['first-user', true],
    ]);
    expect(
      await answerTo('select index, type, key, properties.size, properties.town from groups order by key'),
    ).toEqual([
      [0, 'company', 'a name that is rather long', null, null],
      [0, 'company', 'zoo', '3', 'Köln 💥'],
    ]);
    expect(await answerTo('select name, is_static, count, last_calculation from cohorts order by 1')).toEqual([
      ['First', false, 1, '2026-01-15T12:00:00.000Z'],
      ['Friends', true, null, null],
    ]);
    expect(
      await answerTo(`select c.name, d.distinct_id from cohort_people m join cohorts c on c.id = m.cohort_id
        join person_distinct_ids d on d.person_id = m.person_id where d.distinct_id not like 'first-_' order by 2`),
    ).toEqual([
      ['Friends', 'ann'],
      ['Friends', 'bob'],
      ['First', 'first-user'],
    ]);
  });

  it('becomes one file with it once that is large', async () => {
    for (let sent = 0; sent < 10_500; sent += 500) await send(500, 'many');
    const count = 'select count() from events';
    const [[before]] = await answerTo(count);
    await send(1, 'last');
    expect(await answerTo(count)).toEqual([[before + 1]]);
    expect((await eventsInFiles())[0]).toBe(before + 1);
    await send(1, 'last');
    expect(await answerTo(`select count() from events where event = 'last'`)).toEqual([[2]]);
    expect(await answerTo(count)).toEqual([[before + 2]]);
  });

  it('is not that of a process that was killed: nothing of it is left after a start', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-copies-'));
    const folder = join(dataDir, 'sql');
    mkdirSync(folder);
    writeFileSync(join(folder, '1-half.duckdb'), 'half a copy');
    const next = await startServer({ dataDir });
    try {
      expect(existsSync(folder)).toBe(false);
    } finally {
      await next.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
