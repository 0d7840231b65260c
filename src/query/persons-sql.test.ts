import { afterAll, beforeAll, expect, it } from 'vitest';
import { anEvent, uuidOf } from '../../test/contract/events.ts';
import { makeTempDir } from '../../test/contract/temp-dir.ts';
import { duckdbDialect } from '../stores/duckdb/dialect.ts';
import { openEventStore } from '../stores/duckdb/event-store.ts';
import type { EventStore } from '../stores/events/event-store.ts';
import { personsSql } from './persons-sql.ts';

const [ADA, BOB, CAT, NOBODY] = [1, 2, 3, 4].map(uuidOf) as [string, string, string, string];
const dir = makeTempDir();
let events: EventStore;

beforeAll(async () => {
  events = await openEventStore(dir.path('events.duckdb'));
  const of = (personId: string, projectId = 1) => anEvent({ personId, projectId });
  await events.write({
    events: [of(ADA), of(BOB), of(BOB), of(CAT), of(NOBODY), of(ADA, 2)],
    // Cat was Bob's other self, and is still in the copy of persons.
    overrides: [{ projectId: 1, from: CAT, to: BOB }],
    position: 1,
  });
  for (const projectId of [1, 2]) {
    const persons = [ADA, BOB, CAT].map((uuid) => ({ uuid, createdAt: 0, properties: `{"project":${projectId}}` }));
    await events.mirrorPersons({ projectId, removed: [], persons, position: { change: 1, id: 0 } });
  }
});
afterAll(async () => {
  await events.close();
  dir.remove();
});

const ask = (select: string) => {
  const sql = duckdbDialect.newStatement('e');
  const people = personsSql(sql, 1);
  const own = sql.param(1);
  return events.query(
    `select ${select} from event_rows e join ${people} p on p.key = e.person_id
    where e.project_id = ${own} group by 1 order by 1`,
    sql.values,
  );
};

it('assigns events to their current persons, and to none that are unknown', async () => {
  expect(await ask('p.person_id as person, count(*) as n, min(p.properties) as properties')).toEqual([
    { person: ADA, n: 1, properties: '{"project":1}' },
    { person: BOB, n: 3, properties: '{"project":1}' },
  ]);
});

it('numbers persons, whatever id an event has', async () => {
  const rows = await ask('p.number as number, count(distinct p.person_id) as persons, count(*) as n');
  expect(rows.map(({ persons }) => persons)).toEqual([1, 1]);
  expect(rows.map(({ n }) => n).sort()).toEqual([1, 3]);
});
