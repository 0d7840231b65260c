import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event } from '../events/event.ts';
import { personUuid } from '../events/uuid.ts';
import type { JsonObject } from '../json/json.ts';
import { distinctIdsOf } from './merge-attempt.ts';
import type { Person } from './person.ts';
import { PersonUpdates } from './person-updates.ts';

let count = 0;
const anEvent = (distinctId: string, event = 'e', properties: JsonObject = {}, given: Partial<Event> = {}): Event => ({
  projectId: 1,
  uuid: `event-${++count}`,
  event,
  distinctId,
  timestamp: 1000,
  receivedAt: 2000,
  properties,
  elementsChain: '',
  person: 'full',
  ...given,
});

const aPerson = (uuid: string, given: Partial<Person> = {}): Person => ({
  projectId: 1,
  uuid,
  createdAt: 500,
  properties: {},
  isIdentified: false,
  version: 0,
  ...given,
});

/** A book that knows these persons, by distinct id. */
function aBook(known: Record<string, Person> = {}, taken: string[] = []): PersonUpdates {
  const distinctIds = Object.entries(known).map(([distinctId, { uuid }]) => ({
    projectId: 1,
    distinctId,
    personUuid: uuid,
  }));
  return new PersonUpdates({
    persons: Object.values(known),
    distinctIds,
    isTaken: (_project, uuid) => taken.includes(uuid),
  });
}

const identify = (target: string, source: string): Event => anEvent(target, '$identify', { $anon_distinct_id: source });

describe('a first event', () => {
  it('creates a person with a deterministic id and the time of the event', () => {
    const book = aBook();
    const event = anEvent('me', 'e', { $set: { a: 1, b: 1 }, $set_once: { b: 2, c: 2 } });
    const { personId } = book.handle(event);
    const { persons, ops, history, overrides } = book.changes();
    expect(personId).toBe(personUuid(1, 'me'));
    const properties = { $creator_event_uuid: event.uuid, a: 1, b: 1, c: 2 };
    const person = { projectId: 1, uuid: personId, createdAt: 1000, properties, isIdentified: false, version: 0 };
    expect(persons).toEqual([{ person, isNew: true, mergedInto: null }]);
    expect(ops).toEqual([{ op: 'add_id', projectId: 1, distinctId: 'me', personUuid: personId }]);
    expect(history.map(({ key, before, after }) => [key, before, after])).toEqual([
      ['c', undefined, 2],
      ['a', undefined, 1],
      ['b', undefined, 1],
    ]);
    expect(overrides).toEqual([]);
  });

  it('uses another id if the usual one is taken', () => {
    const usual = personUuid(1, 'me');
    const first = aBook({}, [usual]).handle(anEvent('me')).personId;
    expect(first).not.toBe(usual);
    expect(aBook({}, [usual]).handle(anEvent('me')).personId).toBe(first);
    expect(aBook({}, [usual]).handle(anEvent('me', 'e', {}, { person: 'none' })).personId).toBe(first);
    expect(aBook({}, [usual, first]).handle(anEvent('me')).personId).not.toBe(first);
  });

  it('keeps projects apart', () => {
    const book = aBook();
    const here = book.handle(anEvent('me')).personId;
    expect(book.handle(anEvent('me', 'e', {}, { projectId: 2 })).personId).not.toBe(here);
  });
});

describe('property updates', () => {
  it('add one version per event that changes something', () => {
    const book = aBook({ me: aPerson('p', { properties: { a: 1 } }) });
    const event = anEvent('me', 'e', { $set: { a: 2 }, $unset: ['x'] });
    book.handle(event);
    book.handle(anEvent('me', 'e', { $set: { a: 2 } }));
    const { persons, history } = book.changes();
    expect(persons).toMatchObject([{ person: { properties: { a: 2 }, version: 1 }, isNew: false }]);
    expect(history).toEqual([
      { projectId: 1, personUuid: 'p', key: 'a', before: 1, after: 2, at: 1000, eventUuid: event.uuid },
    ]);
  });

  it.each(['$exception', '$$heatmap'])('do not come from %s', (name) => {
    const book = aBook({ me: aPerson('p') });
    book.handle(anEvent('me', name, { $set: { a: 1 } }));
    expect(book.changes().persons).toEqual([]);
  });

  it('leave an unchanged person out of the result', () => {
    const book = aBook({ me: aPerson('p') });
    expect(book.handle(anEvent('me')).personId).toBe('p');
    expect(book.changes()).toEqual({ persons: [], ops: [], history: [], overrides: [] });
  });
});

describe('personless events', () => {
  it('create no person and are stored under the deterministic id', () => {
    const book = aBook();
    expect(book.handle(anEvent('me', 'e', {}, { person: 'none' })).personId).toBe(personUuid(1, 'me'));
    expect(book.changes()).toEqual({ persons: [], ops: [], history: [], overrides: [] });
  });

  it('belong to a known person', () => {
    expect(aBook({ me: aPerson('p') }).handle(anEvent('me', 'e', {}, { person: 'none' })).personId).toBe('p');
  });

  it('follow when their id is added to another person', () => {
    const book = aBook({ me: aPerson('p') });
    const before = book.handle(anEvent('anon', 'e', {}, { person: 'none' })).personId;
    book.handle(identify('me', 'anon'));
    expect(book.changes().overrides).toEqual([{ projectId: 1, from: before, to: 'p' }]);
  });
});

describe('merges', () => {
  it('create one identified person for two unknown ids', () => {
    const book = aBook();
    const { personId } = book.handle(identify('me', 'anon'));
    const { persons, ops, overrides } = book.changes();
    expect(persons).toMatchObject([
      { person: { uuid: personUuid(1, 'me'), isIdentified: true, version: 0 }, isNew: true },
    ]);
    expect(ops).toMatchObject([
      { op: 'add_id', distinctId: 'me' },
      { op: 'add_id', distinctId: 'anon' },
    ]);
    expect(overrides).toEqual([{ projectId: 1, from: personUuid(1, 'anon'), to: personId }]);
  });

  it('add an unknown target to the source, identified or not', () => {
    const book = aBook({ anon: aPerson('s', { isIdentified: true }) });
    expect(book.handle(identify('me', 'anon')).personId).toBe('s');
    expect(book.changes().ops).toEqual([{ op: 'add_id', projectId: 1, distinctId: 'me', personUuid: 's' }]);
    expect(book.changes().persons).toEqual([]);
  });

  it('merge an unidentified person into the target, whose values win', () => {
    const source = aPerson('s', { properties: { a: 's', b: 's' }, createdAt: 100, version: 4 });
    const target = aPerson('t', { properties: { b: 't' }, createdAt: 200, version: 7 });
    const book = aBook({ anon: source, me: target });
    const event = anEvent('me', '$identify', { $anon_distinct_id: 'anon', $set: { c: 1 } });
    expect(book.handle(event).personId).toBe('t');
    const { persons, ops, overrides, history } = book.changes();
    expect(persons).toEqual([
      { person: source, isNew: false, mergedInto: 't' },
      {
        person: { ...target, properties: { a: 's', b: 't', c: 1 }, createdAt: 100, isIdentified: true, version: 8 },
        isNew: false,
        mergedInto: null,
      },
    ]);
    expect(ops).toEqual([
      { op: 'merge', projectId: 1, kind: 'identify', source, target, targetUuid: 't', at: 1000, eventUuid: event.uuid },
    ]);
    expect(overrides).toEqual([{ projectId: 1, from: 's', to: 't' }]);
    expect(history.map(({ personUuid: uuid, key, after }) => [uuid, key, after])).toEqual([
      ['t', 'a', 's'],
      ['t', 'c', 1],
    ]);
    expect(book.handle(anEvent('anon')).personId).toBe('t');
  });

  it('do not merge an identified source, but identify the target', () => {
    const book = aBook({ old: aPerson('s', { isIdentified: true }), me: aPerson('t') });
    const { personId, warnings } = book.handle(anEvent('me', '$create_alias', { alias: 'old' }));
    expect(personId).toBe('t');
    expect(warnings).toMatchObject([{ type: 'cannot_merge_already_identified' }]);
    expect(book.changes().persons).toMatchObject([{ person: { uuid: 't', isIdentified: true, version: 1 } }]);
    expect(book.changes().ops).toEqual([]);
  });

  it('merge it by $merge_dangerously, with one new version', () => {
    const both = { createdAt: 1, isIdentified: true };
    const book = aBook({ old: aPerson('s', both), me: aPerson('t', both) });
    book.handle(anEvent('me', '$merge_dangerously', { alias: 'old' }));
    expect(book.changes().persons).toMatchObject([{ mergedInto: 't' }, { person: { uuid: 't', version: 1 } }]);
  });

  it.each([
    ['anon', 'me', {}],
    ['me', '', { illegalDistinctId: '', otherDistinctId: 'me' }],
    ['me', 'null', { illegalDistinctId: 'null', otherDistinctId: 'me' }],
    ['Guest', 'anon', { illegalDistinctId: 'Guest', otherDistinctId: 'anon' }],
  ])('from %s with %s: illegal ids are %j', (target, source, illegal) => {
    const { warnings } = aBook().handle(identify(target, source));
    const expected =
      Object.keys(illegal).length === 0 ? [] : [{ type: 'cannot_merge_with_illegal_distinct_id', details: illegal }];
    expect(warnings).toMatchObject(expected);
  });

  it.each([{}, { $anon_distinct_id: 'me' }, { $anon_distinct_id: null }])(
    'are not asked for by $identify with %j',
    (properties) => {
      const book = aBook();
      book.handle(anEvent('me', '$identify', properties));
      expect(book.changes().persons).toMatchObject([{ person: { isIdentified: false } }]);
      expect(distinctIdsOf(anEvent('me', '$identify', properties))).toEqual(['me']);
    },
  );

  it('name both ids that must be loaded', () => {
    expect(distinctIdsOf(anEvent('me', '$create_alias', { alias: 5 }))).toEqual(['me', '5']);
  });
});

describe('any run of events', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'guest');
  const events = fc.array(
    fc.record({
      distinctId: id,
      event: fc.constantFrom('e', '$identify', '$create_alias', '$merge_dangerously', '$set'),
      properties: fc.record({
        $anon_distinct_id: id,
        alias: id,
        $set: fc.dictionary(fc.constantFrom('x', 'y'), fc.nat(3)),
      }),
      person: fc.constantFrom<Event['person']>('full', 'full', 'none'),
    }),
    { maxLength: 12 },
  );
  const run = (given: Partial<Event>[]) => {
    const book = aBook();
    const handled = given.map((fields, index) => book.handle(anEvent('', '', {}, { ...fields, uuid: `u${index}` })));
    return { book, handled, changes: book.changes() };
  };

  it('gives the same result when it is replayed', () => {
    fc.assert(
      fc.property(events, (given) => {
        const first = run(given);
        const second = run(given);
        expect(second.handled).toEqual(first.handled);
        expect(second.changes).toEqual(first.changes);
      }),
    );
  });

  it('leads every event to the person of its distinct id, through the overrides', () => {
    fc.assert(
      fc.property(events, (given) => {
        const { book, handled, changes } = run(given);
        const follow = (uuid: string): string => {
          const next = changes.overrides.find((override) => override.from === uuid);
          return next === undefined ? uuid : follow(next.to);
        };
        for (const [index, { personId }] of handled.entries()) {
          const now = book.handle(anEvent(given[index]?.distinctId ?? '', 'e', {}, { person: 'none' })).personId;
          expect(follow(personId)).toBe(now);
        }
      }),
    );
  });

  it('merging twice is merging once', () => {
    fc.assert(
      fc.property(events, id, id, (given, target, source) => {
        const { book } = run(given);
        book.handle(anEvent(target, '$merge_dangerously', { alias: source }, { uuid: 'm' }));
        const once = structuredClone(book.changes());
        book.handle(anEvent(target, '$merge_dangerously', { alias: source }, { uuid: 'm' }));
        expect(book.changes()).toEqual(once);
      }),
    );
  });

  it('continues after a stored chunk', () => {
    fc.assert(
      fc.property(events, events, (first, second) => {
        const all = run([...first, ...second]);
        const begun = run(first).changes;
        const persons = begun.persons.filter((state) => state.mergedInto === null).map((state) => state.person);
        const owners = new Map<string, string>();
        for (const op of begun.ops) {
          if (op.op === 'add_id') owners.set(op.distinctId, op.personUuid);
          else for (const [one, owner] of owners) if (owner === op.source.uuid) owners.set(one, op.targetUuid);
        }
        const gone = new Set(begun.overrides.map((override) => override.from));
        const book = new PersonUpdates({
          persons,
          distinctIds: [...owners].map(([distinctId, uuid]) => ({ projectId: 1, distinctId, personUuid: uuid })),
          isTaken: (_project, uuid) => gone.has(uuid) || persons.some((person) => person.uuid === uuid),
        });
        const handled = second.map((fields, index) =>
          book.handle(anEvent('', '', {}, { ...fields, uuid: `u${first.length + index}` })),
        );
        expect(handled).toEqual(all.handled.slice(first.length));
      }),
    );
  });
});
