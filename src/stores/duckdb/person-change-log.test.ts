import { expect, it } from 'vitest';
import { PersonChangeLog } from './person-change-log.ts';

it('lists the different persons of a project since a count', () => {
  const changes = new PersonChangeLog();
  changes.note(1, ['a']);
  const { count } = changes;
  changes.note(1, ['b', 'a', 'b']);
  changes.note(2, ['c']);
  expect(changes.since(count, 1)).toEqual(['b', 'a']);
  expect(changes.since(count, 2)).toEqual(['c']);
  expect(changes.since(changes.count, 1)).toEqual([]);
});

it('says that it does not know what it has forgotten', () => {
  const changes = new PersonChangeLog(4);
  changes.note(1, ['a', 'b', 'c', 'd']);
  expect(changes.since(0, 1)).toEqual(['a', 'b', 'c', 'd']);
  changes.note(1, ['e']);
  expect(changes.count).toBe(5);
  expect(changes.since(2, 1)).toBeNull();
  expect(changes.since(3, 1)).toEqual(['d', 'e']);
});
