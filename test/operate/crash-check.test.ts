/** The check at the end of the crash tests (`torture/`) finds what a crash could do, in the files of a real server. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATA_FILES } from '../../src/stores/data-files.ts';
import { check } from '../../torture/check.ts';
import { Client } from '../../torture/client.ts';
import { type Fate, Ledger, type SentEvent } from '../../torture/ledger.ts';
import { SeededRandom } from '../../torture/seeded-random.ts';
import { PROJECT_KEY, type Status } from '../../torture/server-process.ts';
import { startServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'cairn-crash-check-'));
const original = join(folder, 'original');
const ledger = new Ledger();
let status: Status;
let sent: (SentEvent & Fate)[];

beforeAll(async () => {
  const server = await startServer({ dataDir: original, config: { initProjectApiKey: PROJECT_KEY } });
  const client = new Client(server.url, ledger, new SeededRandom(1));
  client.maxEvents = 20;
  client.start();
  while (ledger.acknowledgedEvents < 1000) await sleep(5);
  await client.stop();
  await client.finish();
  await server.drain();
  status = await server.counters();
  await server.close();
  sent = [...ledger.events()];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is done to a copy of the files, or to what the server said. */
interface Fault {
  events?: string;
  metadata?: string;
  status?: (status: Status) => Status;
}

/** The violations found. */
async function checkWith(fault: Fault): Promise<string[]> {
  const dataDir = mkdtempSync(join(folder, 'copy-'));
  cpSync(original, dataDir, { recursive: true });
  if (fault.events !== undefined) await changeEvents(join(dataDir, DATA_FILES.events), fault.events);
  if (fault.metadata !== undefined) changeMetadata(join(dataDir, DATA_FILES.metadata), fault.metadata);
  const found = await check(dataDir, ledger, fault.status?.(status) ?? status);
  return found.violations;
}

async function changeEvents(path: string, sql: string): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
}

function changeMetadata(path: string, sql: string): void {
  const db = new Database(path);
  db.pragma('foreign_keys = off');
  db.exec(sql);
  db.close();
}

/** The first event like this that was acknowledged and must be stored once. */
function eventWith(isWanted: (event: SentEvent) => boolean): SentEvent & Fate {
  const found = sent.find(
    (event) => event.acknowledged > 0 && event.hasIdentity && !event.isNameless && isWanted(event),
  );
  if (!found) throw new Error('No such event was sent');
  return found;
}

const isOrdered = ({ number }: SentEvent): boolean => number !== null;
const isLoose = ({ distinctId }: SentEvent): boolean => distinctId.startsWith('loose-');
const hasMarker = ({ marker }: SentEvent): string => `properties like '%"marker":"${marker}"%'`;
const copyOf = (event: SentEvent, replaced: string): string =>
  `insert into event_rows select * replace (${replaced}) from event_rows where ${hasMarker(event)}`;
const personOf = ({ distinctId }: SentEvent): string =>
  `(select person_id from person_distinct_ids where distinct_id = '${distinctId}')`;
const ANOTHER = "'01890000-0000-7000-8000-000000000001'";

it('finds nothing where nothing is wrong', async () => {
  expect(await checkWith({})).toEqual([]);
  expect(status.stored).toBeGreaterThan(900);
});

describe('finds events', () => {
  it('that were lost', async () => {
    const event = eventWith(isLoose);
    const { marker, attempts, acknowledged } = event;
    expect(await checkWith({ events: `delete from event_rows where ${hasMarker(event)}` })).toEqual([
      `${marker}: stored 0 times; sent ${attempts}, acknowledged ${acknowledged} times`,
      `counted ${status.stored} as stored, found ${status.stored - 1} rows`,
    ]);
  });

  it('that are stored twice under one uuid, or two', async () => {
    const event = eventWith(isLoose);
    const { marker, attempts, acknowledged } = event;
    const violations = [
      `${marker}: stored 2 times; sent ${attempts}, acknowledged ${acknowledged} times`,
      `counted ${status.stored} as stored, found ${status.stored + 1} rows`,
    ];
    expect(await checkWith({ events: copyOf(event, `${ANOTHER} as uuid`) })).toEqual(violations);
    expect(await checkWith({ events: copyOf(event, 'uuid as uuid') })).toEqual([
      expect.stringMatching(`^the uuid [0-9a-f-]{36} of ${marker} is stored more than once$`),
      ...violations,
    ]);
  });

  it('that were never sent', async () => {
    const marker = `m${sent.length + 1}`;
    const event = eventWith(isLoose);
    const replaced = `'{"marker":"${marker}"}' as properties, ${ANOTHER} as uuid`;
    expect(await checkWith({ events: copyOf(event, replaced) })).toEqual([
      `${marker} is stored, but was never sent`,
      `counted ${status.stored} as stored, found ${status.stored + 1} rows`,
    ]);
  });

  it('in a wrong order', async () => {
    const event = eventWith(isOrdered);
    const newest = Math.max(
      ...sent.filter(({ distinctId }) => distinctId === event.distinctId).map(({ number }) => number ?? 0),
    );
    const moved = `create temp table moved as select * from event_rows where ${hasMarker(event)};
      delete from event_rows where ${hasMarker(event)}; insert into event_rows from moved`;
    expect(await checkWith({ events: moved })).toEqual([
      `${event.distinctId}: ${event.number} is stored after ${newest}`,
    ]);
  });

  it('of another person than that of their distinct id', async () => {
    const event = eventWith(isLoose);
    const events = `update event_rows set person_id = ${ANOTHER} where ${hasMarker(event)}`;
    expect(await checkWith({ events })).toEqual([
      expect.stringMatching(`^${event.marker} belongs to ${ANOTHER.slice(1, -1)}, its id to [0-9a-f-]{36}$`),
    ]);
  });
});

it('finds counters that are off by one', async () => {
  const { accepted, stored } = status;
  expect(await checkWith({ status: (told) => ({ ...told, accepted: accepted + 1 }) })).toEqual([
    `accepted ${accepted + 1} ≠ ${accepted}, the sum of all fates`,
  ]);
  expect(await checkWith({ status: (told) => ({ ...told, stored: stored - 1, accepted: accepted - 1 }) })).toEqual(
    expect.arrayContaining([`counted ${stored - 1} as stored, found ${stored} rows`]),
  );
  expect(await checkWith({ status: (told) => ({ ...told, stored: stored - 1, dead_lettered: 1 }) })).toEqual([
    `counted ${stored - 1} as stored, found ${stored} rows`,
    '1 events are dead letters',
  ]);
  const lost = accepted - ledger.acknowledgedEvents + 1;
  const fewer = { accepted: accepted - lost, duplicate: status.duplicate - lost };
  expect(await checkWith({ status: (told) => ({ ...told, ...fewer }) })).toEqual([
    `accepted ${fewer.accepted} < ${ledger.acknowledgedEvents} acknowledged`,
  ]);
});

describe('finds persons', () => {
  it('whose property is not the latest', async () => {
    const event = eventWith(isOrdered);
    const metadata = `update persons set properties = json_set(properties, '$.last', 0) where id = ${personOf(event)}`;
    expect(await checkWith({ metadata })).toEqual([
      expect.stringMatching(`^${event.distinctId}: the last value is 0, not [1-9][0-9]*$`),
    ]);
  });

  it('that were not merged', async () => {
    const event = eventWith(({ joins }) => joins);
    const other = personOf(eventWith(isLoose));
    const metadata = `update person_distinct_ids set person_id = ${other} where distinct_id = 'joined-${event.marker}'`;
    expect(await checkWith({ metadata })).toEqual([
      `joined-${event.marker} was merged with ${event.distinctId}, but they are two persons`,
    ]);
  });

  it('that are not there, and ones of events that should have none', async () => {
    const joined = `joined-${eventWith(({ joins }) => joins).marker}`;
    const gone = `update person_distinct_ids set person_id = 1000000 where distinct_id = '${joined}'`;
    expect(await checkWith({ metadata: gone })).toContain('1 distinct ids point to persons that do not exist');
    const nobody = eventWith(({ distinctId }) => distinctId.startsWith('nobody-'));
    const named = `update person_distinct_ids set distinct_id = '${nobody.distinctId}' where distinct_id = '${joined}'`;
    expect(await checkWith({ metadata: named })).toContain(`${nobody.distinctId} should have no person`);
  });

  it('with a gap or a repetition in their history', async () => {
    const second = `(select max(first.id) from (select id from person_property_history where name = 'last'
      and before_value is not null group by person_uuid having id = min(id) and count(*) > 1) as first)`;
    const gap = await checkWith({ metadata: `delete from person_property_history where id = ${second}` });
    expect(gap).toEqual([expect.stringMatching(/^history of [0-9a-f-]{36}: \d+ follows \d+$/)]);
    const repeated = `update person_property_history set after_value = before_value where id = ${second}`;
    expect(await checkWith({ metadata: repeated })).toContainEqual(
      expect.stringMatching(/^history of [0-9a-f-]{36}: (\d+) after \1$/),
    );
  });

  it('that were merged away twice', async () => {
    const merge = "(1, 'identify', 'one', 'other', '{}', '{}', '[]', 'event', 0)";
    const metadata = `insert into person_merges (project_id, kind, source_uuid, target_uuid, source, target, moved_ids,
      event_uuid, happened_at) values ${merge}, ${merge}`;
    expect(await checkWith({ metadata })).toEqual(['1 persons were merged away more than once']);
  });
});

it('finds group types that are missing', async () => {
  expect(await checkWith({ metadata: 'delete from group_types' })).toEqual(['0 group types instead of one']);
});
