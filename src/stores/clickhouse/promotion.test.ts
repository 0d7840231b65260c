import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { anEvent, uuidOf } from '../../../test/contract/events.ts';
import { makeDatabase, type TestDatabase, TIMEOUTS } from '../../../test/support/clickhouse.ts';
import { describeWithClickHouse } from '../../../test/support/describe-clickhouse.ts';
import type { BlockStore } from '../cluster/block-store.ts';
import { PERSON_PROPERTIES } from '../events/dialect.ts';
import type { EventStore } from '../events/event-store.ts';
import { clickhouseDialect } from './dialect.ts';
import { openClickHouseEventStore } from './event-store.ts';

vi.setConfig(TIMEOUTS);

const START = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
const VALUES = ['pro', null, undefined, '\u0001', '\u0001x', '', 5, ['a'], 'null'];
const TRUTH = [
  { value: 'pro', has_key: true, text: 'pro' },
  { value: null, has_key: true, text: 'null' },
  { value: null, has_key: false, text: '' },
  { value: '\u0001', has_key: true, text: '\u0001' },
  { value: '\u0001x', has_key: true, text: '\u0001x' },
  { value: '', has_key: true, text: '' },
  { value: '5', has_key: true, text: '5' },
  { value: '["a"]', has_key: true, text: '["a"]' },
  { value: 'null', has_key: true, text: 'null' },
];

await describeWithClickHouse('a promoted property in ClickHouse', (server) => {
  let database: TestDatabase;
  let store: BlockStore;
  let other: BlockStore;
  beforeAll(async () => {
    database = await makeDatabase(server);
    store = await openClickHouseEventStore(database.options);
    other = await openClickHouseEventStore(database.options);
  });
  afterAll(async () => {
    await store?.close();
    await other?.close();
    await database?.drop();
  });

  let position = 0;
  const write = async (): Promise<void> => {
    const properties = VALUES.map((value) => (value === undefined ? {} : { "it's": value }));
    const at = position * 100;
    const events = properties.map((own, i) => anEvent({ properties: own, timestamp: at + i, personId: uuidOf(i) }));
    await store.write({ events, overrides: [], position: ++position });
    const persons = properties.map((own, i) => ({ uuid: uuidOf(i), createdAt: 0, properties: JSON.stringify(own) }));
    await store.mirrorPersons({ projectId: 1, removed: [], persons, position: { change: position, id: 0 } });
  };

  /** Of events through the view, joined with their persons, whose property is read too. */
  async function ask(of: EventStore = store): Promise<void> {
    const sql = clickhouseDialect.newStatement('e');
    const key = "it's";
    const rows = await of.query(
      `select ${sql.property(key)} as value, cast(${sql.hasKey(key)} as boolean) as has_key, ${sql.text(key)} as text,
        ${sql.text(key, PERSON_PROPERTIES)} as of_person
      from events e join person_rows p on p.person_id = e.person_id order by e.timestamp`,
      sql.values,
    );
    const all = Array.from({ length: position }, () => TRUTH).flat();
    expect(rows).toEqual(all.map((truth) => ({ ...truth, of_person: truth.text })));
  }

  /** Filling goes on by itself. */
  async function maintainUntil(state: readonly string[], now: number): Promise<void> {
    const current = async () =>
      (await store.listPromotedProperties()).map(({ owner, key, filled }) => `${owner} ${key} ${filled}`);
    for (let i = 0; i < 60 && JSON.stringify(await current()) !== JSON.stringify(state); i++) {
      if (!(await store.maintain(now))) await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(await current()).toEqual(state);
  }

  it('reads the same before, during and after promotion, in other processes too', async () => {
    await write();
    for (const asked of [store, other, store, other]) await ask(asked);
    expect([await store.listPromotedProperties(), store.needsMaintenance(START)]).toEqual([[], false]);
    store.recordReads(other.takeReads());
    expect([store.needsMaintenance(START), other.takeReads()]).toEqual([true, []]);
    await maintainUntil(["event it's 1", "person it's 1"], START);
    await write();
    await ask();
    const columns = await store.query(
      `select table, name, default_kind from system.columns
      where database = currentDatabase() and startsWith(name, 'promoted_') order by name, table`,
      [],
    );
    expect(columns.map((row) => Object.values(row).join(' '))).toEqual([
      'event_rows promoted_1 MATERIALIZED',
      ...(server?.cluster ? ['event_rows_local promoted_1 MATERIALIZED'] : []),
      'events promoted_1 ',
      'person_rows promoted_2 ',
      'person_versions promoted_2 MATERIALIZED',
    ]);
    await ask(other);
    // It was used until now; a month later it was not.
    await store.maintain(START + 31 * DAY_MS);
    await maintainUntil([], START + 62 * DAY_MS);
    await ask(other);
    await ask();
  });
});
