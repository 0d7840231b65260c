import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anEvent, uuidOf } from '../../../test/contract/events.ts';
import { runInProcess } from '../../../test/contract/run-apart.ts';
import { makeTempDir, type TempDir } from '../../../test/contract/temp-dir.ts';
import { propertyText } from '../../core/events/hot-properties.ts';
import type { Json } from '../../core/json/json.ts';
import { PERSON_PROPERTIES } from '../events/dialect.ts';
import type { EventStore } from '../events/event-store.ts';
import { duckdbDialect } from './dialect.ts';
import { openEventStore } from './event-store.ts';

type Properties = Record<string, Json>;

const START = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** The three ways to read a property, as JavaScript understands them. */
function expected(properties: Properties, key: string): unknown {
  const hasKey = Object.hasOwn(properties, key);
  const value = hasKey ? propertyText(properties[key]) : null;
  return { value, has_key: hasKey, text: value ?? (hasKey ? 'null' : '') };
}

describe('a promoted property', () => {
  let dir: TempDir;
  let store: EventStore;
  let position: number;
  let written: Properties[];
  const open = async (): Promise<void> => {
    store = await openEventStore(dir.path('events.duckdb'));
  };
  beforeEach(async () => {
    dir = makeTempDir();
    position = 0;
    written = [];
    await open();
  });
  afterEach(async () => {
    await store.close();
    dir.remove();
  });

  /** Events, each with a person who has the same properties. */
  async function write(all: readonly Properties[]): Promise<void> {
    const from = written.length;
    written.push(...all);
    const rows = all.map((properties, i) =>
      anEvent({ properties, timestamp: from + i, personId: uuidOf(from + i), distinctId: `d${from + i}` }),
    );
    await store.write({ events: rows, overrides: [], position: ++position });
    const persons = all.map((properties, i) => ({
      uuid: uuidOf(from + i),
      createdAt: START,
      properties: JSON.stringify(properties),
    }));
    await store.mirrorPersons({ projectId: 1, removed: [], persons, position: { change: position, id: 0 } });
  }

  /** What a question reads of every event, or of every event's person. */
  async function ask(key: string, json?: string): Promise<unknown[]> {
    const sql = duckdbDialect.newStatement('e');
    const columns = `${sql.property(key, json)} as value, ${sql.hasKey(key, json)} as has_key, ${sql.text(key, json)} as text`;
    return store.query(
      `select ${columns} from events e join person_rows p on p.person_id = e.person_id order by e.timestamp`,
      sql.values,
    );
  }

  async function expectTruth(key: string): Promise<void> {
    const truth = written.map((properties) => expected(properties, key));
    expect(await ask(key)).toEqual(truth);
    expect(await ask(key, PERSON_PROPERTIES)).toEqual(truth);
  }

  async function readUntilWanted(key: string): Promise<void> {
    for (let i = 0; i < 4; i++) await expectTruth(key);
  }

  async function maintainAll(now = START): Promise<void> {
    while (await store.maintain(now));
    expect(store.needsMaintenance(now)).toBe(false);
  }

  const state = async (): Promise<string[]> =>
    (await store.listPromotedProperties()).map(({ owner, key, filled }) => `${owner} ${key} ${filled}`);

  const scalar = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 14 }),
    fc.constantFrom('', 'null', 'true', '5', '\u0001', '\u0001?', '\u0001\u0001', '\u0001null', 'é😀', '\ud800'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const value: fc.Arbitrary<Json> = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 3 }), scalar, { maxKeys: 2 }),
  ) as fc.Arbitrary<Json>;
  /** Lone surrogates are replaced before they get here; DuckDB cannot store them. */
  const withoutSurrogates = (given: Json): Json =>
    JSON.parse(JSON.stringify(given).replace(/\\ud[89a-f]../gi, '\\ufffd')) as Json;
  const key = fc.oneof(fc.constantFrom('plan', 'a/b', '~1', '$browser', "'x", '__proto', '', '@text(event )'));
  const batch = fc.array(fc.option(value, { nil: undefined }), { minLength: 1, maxLength: 8 });

  it('reads the same before, during and after the backfill, a purge, a restart and its removal', async () => {
    await fc.assert(
      fc.asyncProperty(key, fc.array(batch, { minLength: 1, maxLength: 3 }), batch, async (name, before, after) => {
        await store.close();
        dir.remove();
        dir = makeTempDir();
        position = 0;
        written = [];
        await open();
        const propertiesOf = (given: readonly (Json | undefined)[]): Properties[] =>
          given.map((one) => (one === undefined ? { other: 1 } : { other: 1, [name]: withoutSurrogates(one) }));
        for (const one of before) await write(propertiesOf(one));
        await readUntilWanted(name);
        expect(await state()).toEqual([]);
        expect(store.needsMaintenance(START)).toBe(true);
        for (let more = true; more; ) {
          more = await store.maintain(START);
          await expectTruth(name);
          if (written.length < 40) await write(propertiesOf(after));
          await expectTruth(name);
        }
        expect(await state()).toEqual([`event ${name} 1`, `person ${name} 1`]);
        await write(propertiesOf(after));
        await expectTruth(name);
        await store.purge();
        await write(propertiesOf(before.flat()));
        await expectTruth(name);
        await store.close();
        await open();
        expect(await state()).toEqual([`event ${name} 1`, `person ${name} 1`]);
        await expectTruth(name);
        await maintainAll();
        await maintainAll(START + 30 * DAY_MS);
        await maintainAll(START + 61 * DAY_MS);
        expect(await state()).toEqual([]);
        await expectTruth(name);
      }),
      { numRuns: 3, endOnFailure: true },
    );
  }, 60_000);

  it('is read instead of the JSON', async () => {
    await write([{ plan: 'pro' }, {}, { plan: null }]);
    await readUntilWanted('plan');
    await maintainAll();
    const sql = duckdbDialect.newStatement('e');
    const [row] = await store.query(`explain select ${sql.text('plan')} as t from event_rows e`, sql.values);
    expect(Object.values(row ?? {}).join()).toContain('promoted_1');
    expect(Object.values(row ?? {}).join()).not.toContain('properties');
  });

  it('is not created for properties that are rarely read', async () => {
    await write([{ plan: 'pro' }]);
    for (let i = 0; i < 2; i++) await ask('plan');
    await maintainAll();
    expect(await state()).toEqual([]);
  });

  it('is replaced only when unused; there are never more than 24', async () => {
    const keys = Array.from({ length: 25 }, (_, i) => `k${String(i).padStart(2, '0')}`);
    await write([Object.fromEntries(keys.map((name) => [name, name]))]);
    for (const name of keys) for (let i = 0; i < 4; i++) await ask(name);
    await maintainAll();
    expect((await state()).sort()).toEqual(keys.slice(0, 24).map((name) => `event ${name} 1`));
    for (const name of keys.slice(1, 24)) await ask(name);
    await maintainAll(START + DAY_MS);
    expect((await state()).sort()).toEqual(keys.slice(1).map((name) => `event ${name} 1`));
  });

  it('is created unasked if events usually have the property, once there are enough events', async () => {
    await store.close();
    store = await openEventStore(dir.path('events.duckdb'), { minEventsForUsual: 100 });
    const usual = (count: number) => Array.from({ length: count }, (_, i) => ({ plan: i % 2 ? 'pro' : null, id: i }));
    await write([...usual(50), ...usual(49).map(() => ({ plan: 'free' }))]);
    await maintainAll();
    expect(await state()).toEqual([]);
    await write(usual(2));
    await maintainAll(START + 60_000);
    // Of so few events only every fiftieth is looked at; that suffices for this one.
    await write(usual(5000));
    await maintainAll(START + DAY_MS);
    expect(await state()).toEqual(['event plan 1']);
    await expectTruth('plan');
    await maintainAll(START + 61 * DAY_MS);
    expect(await state()).toEqual(['event plan 1']);
  });

  it('gives all usual properties their columns as soon as there are enough events, before it fills one', async () => {
    await store.close();
    store = await openEventStore(dir.path('events.duckdb'), { minEventsForUsual: 5000 });
    const usual = (count: number) =>
      // Every fiftieth is looked at.
      Array.from({ length: count }, (_, i) => ({
        plan: ['free', 'pro'][(i % 100) / 50] ?? null,
        region: `\u0001${i % 100}`,
      }));
    await write(usual(4999));
    await maintainAll();
    expect(await state()).toEqual([]);
    await write(usual(1));
    expect(store.needsMaintenance(START)).toBe(true);
    await store.maintain(START);
    await store.maintain(START);
    expect((await state()).sort()).toEqual(['event plan 0', 'event region 0']);
    await write(usual(3));
    for (const key of ['plan', 'region']) await expectTruth(key);
    await maintainAll();
    expect((await state()).sort()).toEqual(['event plan 1', 'event region 1']);
    for (const key of ['plan', 'region']) await expectTruth(key);
  });

  it('follows deletions of events and changes of persons', async () => {
    await write([{ plan: 'a' }, { plan: 'b' }, { plan: null }, {}]);
    await readUntilWanted('plan');
    await store.maintain(START);
    await store.maintain(START);
    await store.reassign([{ id: 1, projectId: 1, personId: uuidOf(0), kind: 'remove', distinctIds: [] }]);
    written.shift();
    await expectTruth('plan');
    await maintainAll();
    await store.deleteBefore(1, 2);
    written.shift();
    await expectTruth('plan');
    await store.mirrorPersons({
      projectId: 1,
      removed: [],
      persons: [{ uuid: uuidOf(2), createdAt: START, properties: '{"plan":"c"}' }],
      position: { change: 9, id: 0 },
    });
    expect(await ask('plan', PERSON_PROPERTIES)).toMatchObject([{ text: 'c' }, { text: '' }]);
    expect(await ask('plan')).toMatchObject([{ text: 'null' }, { text: '' }]);
  });

  it('has the places that are added, while it is filled and after', async () => {
    const place = { $geoip_country_code: 'NL' };
    const sent: Properties[] = ['10.1.1.1', '10.1.1.1', '10.2.2.2'].map(($ip) => ({ $ip }));
    const countries = async (): Promise<unknown> =>
      (await ask('$geoip_country_code')).map((row) => (row as { value: unknown }).value);
    await write(sent);
    await readUntilWanted('$geoip_country_code');
    await store.maintain(START);
    expect(await store.addPlaces(1, { from: 0, until: 1 }, [{ address: '10.1.1.1', place }])).toBe(1);
    expect(await countries()).toEqual(['NL', null, null]);
    await maintainAll();
    expect(await state()).toContain('event $geoip_country_code 1');
    expect(await countries()).toEqual(['NL', null, null]);
    expect(await store.addPlaces(1, { from: 0, until: 9 }, [{ address: '10.1.1.1', place }])).toBe(1);
    expect(await countries()).toEqual(['NL', 'NL', null]);
  });

  it('answers queries while columns are added and dropped', async () => {
    await write(Array.from({ length: 50 }, (_, i) => ({ plan: `p${i}` })));
    await readUntilWanted('plan');
    const truth = written.map((properties) => expected(properties, 'plan'));
    let asking = true;
    const asked = Promise.all(
      [1, 2, 3].map(async () => {
        let answers = 0;
        for (; asking; answers++) expect(await ask('plan')).toEqual(truth);
        return answers;
      }),
    );
    for (let day = 0; day < 6; day++) await maintainAll(START + 31 * day * DAY_MS);
    asking = false;
    expect(Math.min(...(await asked))).toBeGreaterThan(0);
  });

  it('survives a power cut after another column was dropped', async () => {
    await write([{ plan: 'a', seats: 1 }]);
    await readUntilWanted('plan');
    await readUntilWanted('seats');
    await maintainAll();
    const columns = await store.query('select id from promoted_columns where owner = $1', ['event']);
    expect(columns).toHaveLength(2);
    await maintainAll(START + 61 * DAY_MS);
    const copy = dir.copy();
    const reopened = await openEventStore(copy.path('events.duckdb'));
    expect(await reopened.query('select count(*) as n from event_rows', [])).toEqual([{ n: 1 }]);
    await reopened.close();
    copy.remove();
  });

  it('survives kill -9 at any step of its creation', async () => {
    await store.close();
    const path = JSON.stringify(dir.path('events.duckdb'));
    for (const lines of [2, 4, 7]) {
      await runInProcess(
        `import { openEventStore } from './src/stores/duckdb/event-store.ts';
         import { duckdbDialect } from './src/stores/duckdb/dialect.ts';
         import { anEvent } from './test/contract/events.ts';
         const store = await openEventStore(${path}, { checkpointBytes: 100_000 });
         let position = await store.position();
         const more = () => store.write({
           events: Array.from({ length: 15000 }, (_, i) => anEvent({ properties: i % 3 === 0 ? {} : { plan: i % 3 === 1 ? 'pro' : null } })),
           overrides: [], position: ++position });
         for (let i = 0; i < 4; i++) {
           const sql = duckdbDialect.newStatement('e');
           await store.query(\`select count(\${sql.text('plan')}) as n from event_rows e\`, sql.values);
         }
         for (;;) { await more(); console.log('wrote'); await store.maintain(${START}); console.log('maintained'); }`,
        { killAfterLines: lines },
      );
      await open();
      const sql = duckdbDialect.newStatement('e');
      const ask = () =>
        store.query(
          `select ${sql.text('plan')} as plan, count(*) * 3 / (select count(*) from event_rows) as part
          from event_rows e group by 1 order by 1`,
          sql.values,
        );
      const thirds = ['', 'null', 'pro'].map((plan) => ({ plan, part: 1 }));
      expect(await ask()).toEqual(thirds);
      await maintainAll();
      expect(await ask()).toEqual(thirds);
      await store.close();
    }
    await open();
    expect(await state()).toEqual(['event plan 1']);
  }, 60_000);
});
