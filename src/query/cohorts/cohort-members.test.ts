import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anEvent, uuidOf } from '../../../test/contract/events.ts';
import { aCohort } from '../../../test/contract/flag-builders.ts';
import { makeTempDir } from '../../../test/contract/temp-dir.ts';
import { isMember, type PersonEvent } from '../../../test/oracle/cohort-members.ts';
import { openMigratedStore } from '../../../test/support/migrated-store.ts';
import { readSteps } from '../../core/actions/action-steps.ts';
import type { ActionStep } from '../../core/actions/entity.ts';
import { parseCriteria } from '../../core/cohorts/parse-criteria.ts';
import type { Json } from '../../core/json/json.ts';
import { duckdbDialect } from '../../stores/duckdb/dialect.ts';
import { openEventStore } from '../../stores/duckdb/event-store.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import { NO_CHANGES } from '../../stores/ingest/no-changes.ts';
import type { SqliteStores } from '../../stores/sqlite/metadata-store.ts';
import { CohortMembers } from './cohort-members.ts';

const NOW = Date.parse('2024-03-31T12:00:00Z');
const clock = { now: () => NOW };
const HOUR = 3_600_000;

/** Steps of every sort; in the place of cohort 0 comes one that is listed by hand. */
const ACTIONS: readonly Json[][] = [
  [],
  [{ event: 'a', properties: [{ key: 'plan', value: 'pro', type: 'person' }] }, { url: '/b' }],
  [
    { event: 'b', url: 'x.*b$', url_matching: 'regex' },
    { event: 'a', url: '(', url_matching: 'regex' },
    { properties: [{ key: 'text', value: 'Buy', type: 'element' }] },
  ],
  [{ event: 'b', properties: [{ key: 'id', value: 0, type: 'cohort' }] }],
  [{ event: 'a', properties: [{ key: 'plan', value: 'pro', operator: 'is_not', type: 'person' }] }],
];

const AN_ACTION = { description: '', tags: [], deleted: false, createdAt: 1, createdBy: null, updatedAt: 1 };

interface TestPerson {
  properties: Record<string, Json>;
  events: readonly PersonEvent[];
}

describe('members of cohorts', () => {
  const dir = makeTempDir();
  let stores: SqliteStores;
  let events: EventStore;
  beforeAll(async () => {
    stores = await openMigratedStore(dir.path('metadata.sqlite'));
    events = await openEventStore(dir.path('events.duckdb'));
  });
  afterAll(async () => {
    await events.close();
    await stores.metadata.close();
    dir.remove();
  });

  let position = 0;
  /** Each person has a twin whose events became theirs by a merge: every second event is filed under the twin. */
  async function store(persons: readonly TestPerson[]): Promise<{ projectId: number; ids: number[] }> {
    const projectId = ++position;
    const uuid = (i: number): string => uuidOf(projectId * 10_000 + i);
    const twin = (i: number): string => uuidOf(projectId * 10_000 + 5000 + i);
    const states = persons.map(({ properties }, i) => ({
      person: { projectId, uuid: uuid(i), createdAt: 1, properties, isIdentified: false, version: 0 },
      isNew: true,
      mergedInto: null,
    }));
    await stores.ingest.transaction((tx) =>
      tx.apply({ ...NO_CHANGES, persons: { ...NO_CHANGES.persons, persons: states }, position: projectId }),
    );
    const rows = persons.flatMap((person, i) =>
      person.events.map((event, n) =>
        anEvent({ ...event, projectId, personId: n % 2 === 0 ? uuid(i) : twin(i) } as never),
      ),
    );
    await events.mirrorPersons({
      projectId,
      removed: [],
      persons: persons.map(({ properties }, i) => ({
        uuid: uuid(i),
        createdAt: 1,
        properties: JSON.stringify(properties),
      })),
      position: { change: projectId, id: 0 },
    });
    const nobody = anEvent({ projectId, event: 'a', personId: uuidOf(projectId * 10_000 + 9999), timestamp: NOW - 1 });
    const overrides = persons.map((_, i) => ({ projectId, from: twin(i), to: uuid(i) }));
    await events.write({ events: [...rows, nobody], overrides, position: projectId });
    const ids: number[] = [];
    for (const [i] of persons.entries()) {
      ids.push(...(await stores.metadata.cohortMembers.listPersonIdsByUuid(projectId, [uuid(i)])));
    }
    return { projectId, ids };
  }

  const event = fc.record({
    event: fc.constantFrom('a', 'b'),
    // Many at the very ends of times.
    timestamp: fc
      .tuple(fc.constantFrom(0, 1, 2, 3, 4, 6, 12, 24, 48, 744), fc.constantFrom(-1, 0, 0, 1, 1_800_000))
      .map(([hours, ms]) => NOW - hours * HOUR + ms),
    properties: fc.constantFrom<Record<string, Json>>({}, { plan: 'pro' }, { $current_url: 'https://x.test/b' }),
    elementsChain: fc.constantFrom('', 'button:text="Buy"'),
  });
  const person = fc.record({
    properties: fc.dictionary(fc.constantFrom('plan', 'age'), fc.constantFrom<Json>('pro', 'free', 5, null), {
      maxKeys: 2,
    }),
    events: fc.array(event, { maxLength: 6 }),
  });
  const interval = fc.constantFrom(['hour', 1], ['hour', 3], ['day', 1], ['month', 1], ['minute', 30]);
  const timed = interval.map(([time_interval, time_value]) => ({ time_interval, time_value }));
  const seq = interval.map(([seq_time_interval, seq_time_value]) => ({ seq_time_interval, seq_time_value }));
  const count = fc.record({
    operator: fc.constantFrom('gte', 'lte', 'gt', 'lt', 'eq'),
    operator_value: fc.integer({ min: 1, max: 3 }),
  });
  /** An event by its name, or an action by its place among `ACTIONS`. */
  const named = (key: string, type: string): fc.Arbitrary<Record<string, Json>> =>
    fc.oneof(
      fc.constantFrom('a', 'b').map((name) => ({ [key]: name })),
      fc.constantFrom(...ACTIONS.keys(), 9).map((at) => ({ [key]: String(at), [type]: 'actions' })),
    );
  const deed = fc.record({
    named: named('key', 'event_type'),
    negation: fc.boolean(),
    event_filters: fc.constantFrom<Json>(null, [{ key: 'plan', value: 'pro' }]),
  });
  const behaviour = fc
    .tuple(
      fc.constantFrom(
        'performed_event',
        'performed_event_multiple',
        'performed_event_first_time',
        'performed_event_sequence',
        'performed_event_regularly',
        'stopped_performing_event',
        'restarted_performing_event',
      ),
      deed,
      timed,
      seq,
      count,
      named('seq_event', 'seq_event_type'),
      fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })),
    )
    .map(([value, { named: first, ...what }, time, later, often, next, [x, y]]) => ({
      type: 'behavioral',
      value,
      ...first,
      ...what,
      ...time,
      ...later,
      ...often,
      ...next,
      min_periods: Math.min(x, y),
      total_periods: Math.max(x, y),
    }))
    .filter((item) => {
      try {
        return parseCriteria({ properties: [item] as never }) !== null;
      } catch {
        return false;
      }
    });
  const property = fc.record({
    type: fc.constant('person'),
    key: fc.constantFrom('plan', 'age'),
    value: fc.constantFrom<Json>('pro', 5, '(p|f)r'),
    operator: fc.constantFrom('exact', 'is_not', 'gt', 'is_set', 'regex', 'is_not_set'),
    negation: fc.boolean(),
  });
  const nested = fc.record({
    type: fc.constant('cohort'),
    value: fc.constantFrom(0, 1, 99),
    negation: fc.boolean(),
  });
  const group = <T>(of: fc.Arbitrary<T>) =>
    fc.record({ type: fc.constantFrom('AND', 'OR'), values: fc.array(of, { minLength: 1, maxLength: 3 }) });
  const tree = group(group(fc.oneof({ weight: 3, arbitrary: behaviour }, property, nested)));

  const search = (pattern: string, text: string): boolean | null =>
    pattern === '(' ? null : new RegExp(pattern).test(text);

  describe('by behaviour', () => {
    const deedAt = (name: string, timestamp: number): PersonEvent => ({ event: name, timestamp, properties: {} });
    /** One person for each way to do something at, just before and just after each end of a time. */
    const TIMES = [0, 1, 3, 4, 6].flatMap((hours) => [-1, 0, 1].map((ms) => NOW - hours * HOUR + ms));
    const histories = TIMES.flatMap((x) => [
      [deedAt('a', x)],
      ...TIMES.map((y) => [deedAt('a', x), deedAt('a', y)]),
      ...TIMES.map((y) => [deedAt('a', x), deedAt('b', y)]),
    ]);
    const persons: TestPerson[] = histories.map((history) => ({ properties: {}, events: history }));
    let stored: { projectId: number; ids: number[] };
    beforeAll(async () => {
      stored = await store(persons);
    });

    const base = { type: 'behavioral', key: 'a', time_value: 3, time_interval: 'hour', operator_value: 1 };
    const seq = { seq_event: 'b', seq_time_value: 1, seq_time_interval: 'hour' };
    const items = [
      { value: 'performed_event' },
      ...['gte', 'lte', 'gt', 'lt', 'eq'].flatMap((operator) => [
        { value: 'performed_event_multiple', operator },
        { value: 'performed_event_regularly', operator, min_periods: 1, total_periods: 2 },
        { value: 'performed_event_regularly', operator, min_periods: 2, total_periods: 2 },
      ]),
      { value: 'performed_event_first_time' },
      { value: 'performed_event_sequence', ...seq },
      { value: 'performed_event_sequence', ...seq, seq_event: 'a' },
      { value: 'performed_event_sequence', ...seq, seq_time_value: 1, seq_time_interval: 'month' },
      { value: 'stopped_performing_event', ...seq },
      { value: 'restarted_performing_event', ...seq },
    ];

    it.each(items)('to the millisecond: $value $operator $min_periods', async (item) => {
      const criteria = parseCriteria({ properties: [{ ...base, ...item }] });
      const deps = {
        metadata: stores.metadata,
        events,
        dialect: duckdbDialect,
        clock,
        mirrorPersons: async () => undefined,
      };
      const found = await new CohortMembers(deps, stored.projectId, NOW).calculate(criteria);
      const around = { now: NOW, search: () => null, isIn: () => undefined };
      const expected = stored.ids.filter((_, i) => isMember(criteria, persons[i] as TestPerson, around));
      expect([...found]).toEqual(expected);
    });
  });

  it('are those of the oracle, for random histories and criteria', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(person, { minLength: 1, maxLength: 5 }), tree, tree, async (persons, inner, outer) => {
        const { projectId, ids } = await store(persons);
        const deps = {
          metadata: stores.metadata,
          events,
          dialect: duckdbDialect,
          clock,
          mirrorPersons: async () => undefined,
        };
        // Cohort "0" is static, "1" is calculated by the query, "99" does not exist.
        const kept = await stores.metadata.cohorts.create(aCohort(projectId, { isStatic: true }));
        await stores.metadata.cohortMembers.add(projectId, kept.id, ids.slice(0, 2));
        const isKept = (i: number): boolean => i < 2;
        const numbers: number[] = [];
        const real = (json: object, onTheFly = 999_999): object =>
          JSON.parse(JSON.stringify(json), (key, value) => {
            if (/^(key|seq_event)$/.test(key) && /^\d$/.test(value)) return String(numbers[value] ?? 999_999);
            return key === 'value' && typeof value === 'number' && value < 2 ? [kept.id, onTheFly][value] : value;
          });
        const actions = new Map<number, ActionStep[]>();
        for (const [at, steps] of ACTIONS.entries()) {
          const own = real(steps) as Json[];
          const action = await stores.metadata.actions.create({ ...AN_ACTION, projectId, name: `${at}`, steps: own });
          actions.set(action.id, readSteps(own));
          numbers.push(action.id);
        }
        const innerFilters = { properties: real(inner) };
        const other = await stores.metadata.cohorts.create(aCohort(projectId, { filters: innerFilters as never }));
        const outerCriteria = parseCriteria({ properties: real(outer, other.id) });

        const action = (id: number) => {
          const steps = actions.get(id);
          return steps && { steps };
        };
        const around = { now: NOW, search, action };
        const isInInner = (one: TestPerson, i: number): boolean =>
          isMember(parseCriteria(innerFilters), one, {
            ...around,
            isIn: (id) => (id === kept.id ? isKept(i) : undefined),
          });
        const isInOuter = (one: TestPerson, i: number): boolean =>
          isMember(outerCriteria, one, {
            ...around,
            isIn: (id) => (id === kept.id ? isKept(i) : id === other.id ? isInInner(one, i) : undefined),
          });
        const found = await new CohortMembers(deps, projectId, NOW).calculate(outerCriteria);
        expect([...found]).toEqual(ids.filter((_, i) => isInOuter(persons[i] as TestPerson, i)));
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
