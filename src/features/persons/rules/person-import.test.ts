import { describe, expect, it } from 'vitest';
import type { ImportedPerson } from '../../../core/events/import-line.ts';
import { personUuid } from '../../../core/events/uuid.ts';
import type { Person } from '../../../core/persons/person.ts';
import { PersonImport } from './person-import.ts';

const U = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
const person = (n: number, properties = {}): Person => ({
  projectId: 1,
  uuid: U(n),
  createdAt: 500,
  properties,
  isIdentified: false,
  version: 3,
});
const line = (more: Partial<ImportedPerson>): ImportedPerson => ({
  uuid: null,
  distinctIds: ['a'],
  createdAt: 100,
  isIdentified: null,
  properties: {},
  ...more,
});

const book = (persons: Person[] = [], ids: [string, number][] = [], taken: string[] = []) =>
  new PersonImport({
    projectId: 1,
    now: 1000,
    persons,
    distinctIds: ids.map(([distinctId, n]) => ({ distinctId, personUuid: U(n) })),
    isTaken: (uuid) => taken.includes(uuid),
  });

describe('an imported person', () => {
  it('is created with its uuid and ids if nobody has them', () => {
    const one = book();
    expect(one.add(line({ uuid: U(1), distinctIds: ['a', 'b'], properties: { plan: 'pro' } }))).toBeNull();
    const { persons, ops, history } = one.changes();
    expect(persons).toEqual([
      {
        person: { ...person(1, { plan: 'pro' }), createdAt: 100, version: 0 },
        isNew: true,
        mergedInto: null,
      },
    ]);
    expect(ops.map((op) => op.op === 'add_id' && [op.distinctId, op.personUuid])).toEqual([
      ['a', U(1)],
      ['b', U(1)],
    ]);
    expect(history).toEqual([]);
  });

  it('gets a uuid derived from its id if its own is or was in use', () => {
    const one = book([], [], [U(1)]);
    one.add(line({ uuid: U(1) }));
    expect(one.changes().persons[0]?.person.uuid).toBe(personUuid(1, 'a'));
  });

  it('updates the person with one of its ids: properties with history, ids, earlier creation time', () => {
    const one = book([person(2, { plan: 'free', kept: 1 })], [['a', 2]]);
    expect(
      one.add(line({ uuid: U(1), distinctIds: ['a', 'b'], isIdentified: true, properties: { plan: 'pro' } })),
    ).toBeNull();
    const { persons, ops, history } = one.changes();
    const after = { ...person(2, { plan: 'pro', kept: 1 }), createdAt: 100, isIdentified: true, version: 4 };
    expect(persons).toEqual([{ person: after, isNew: false, mergedInto: null }]);
    expect(ops).toHaveLength(1);
    expect(history).toEqual([
      { projectId: 1, personUuid: U(2), at: 1000, eventUuid: '', key: 'plan', before: 'free', after: 'pro' },
    ]);
  });

  it('changes nothing if it is the same already', () => {
    const one = book([person(2, { plan: 'pro' })], [['a', 2]]);
    expect(one.add(line({ createdAt: 500, properties: { plan: 'pro' } }))).toBeNull();
    expect(one.changes()).toEqual({ persons: [], ops: [], history: [], overrides: [] });
  });

  it('that arrives id by id becomes one person', () => {
    const one = book();
    for (const id of ['a', 'b', 'c']) expect(one.add(line({ uuid: U(1), distinctIds: [id] }))).toBeNull();
    expect(one.changes().persons).toHaveLength(1);
    expect(one.changes().ops).toHaveLength(3);
  });

  it('is skipped if its ids belong to several persons', () => {
    const one = book(
      [person(2), person(3)],
      [
        ['a', 2],
        ['b', 3],
      ],
    );
    expect(one.add(line({ distinctIds: ['a', 'b'] }))).toContain('its ids belong to 2 persons here');
    expect(one.changes().persons).toEqual([]);
  });
});
