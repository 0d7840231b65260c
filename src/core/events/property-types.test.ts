import { describe, expect, it } from 'vitest';
import { seenProperties } from '../../../test/support/seen-properties.ts';
import type { JsonObject } from '../json/json.ts';
import type { Event } from './event.ts';
import { propertyType } from './property-types.ts';

const anEvent = (event: string, properties: JsonObject): Event => ({
  projectId: 1,
  uuid: 'u',
  event,
  distinctId: 'd',
  timestamp: 0,
  receivedAt: 0,
  properties,
  elementsChain: '',
  person: 'full',
});

describe('propertyType', () => {
  it.each([
    ['utm_source', 12, 'String'],
    ['UTM_source', 12, 'String'],
    ['$initial_utm_source', 12, 'String'],
    ['$feature/x', true, 'String'],
    ['$feature_flag_response', true, 'String'],
    ['$survey_response_1', 5, 'String'],
    ['a', true, 'Boolean'],
    ['a', ' TRUE ', 'Boolean'],
    ['a', 'truely', 'String'],
    ['a', 10, 'Numeric'],
    ['a', '10', 'String'],
    ['sent_time', 1641477529, 'DateTime'],
    ['sent_time', 1641477529.5, 'DateTime'],
    ['sent_time', 1641477753371, 'DateTime'],
    ['sent_time', 164147752, 'Numeric'],
    ['created_at', 1641477529, 'DateTime'],
    ['latest', 1641477529, 'Numeric'],
    ['a', 1641477529, 'Numeric'],
    ['a', '2022-01-05', 'DateTime'],
    ['a', '2022-01-05T12:30:00.123+01:00', 'DateTime'],
    ['a', '2022-01-05 12:30:00', 'DateTime'],
    ['a', '05-01-2022 12:30:00', 'DateTime'],
    ['a', '2022/01/05 12:30:00', 'DateTime'],
    ['a', '05/01/2022 12:30:00', 'DateTime'],
    ['a', '2022/01-05 12:30:00', 'String'],
    ['a', 'Wed, 05 Jan 2022 12:30:00 +0000', 'DateTime'],
    ['a', '2022-13', 'String'],
    ['a', null, null],
    ['a', [1], null],
    ['a', { b: 1 }, null],
  ])('%s = %j is %s', (name, value, type) => {
    expect(propertyType(name, value)).toBe(type);
  });
});

describe('the properties of an event', () => {
  it('are those of the event and its person, without keys that only contain others', () => {
    const event = anEvent('e', {
      a: 1,
      $groups: {},
      $group_0: 'k',
      $unset: ['x'],
      $set: { p: 'x' },
      $set_once: { p: 1, q: true },
    });
    expect(seenProperties(event)).toEqual([
      { kind: 'event', groupType: null, name: 'a', type: 'Numeric' },
      { kind: 'person', groupType: null, name: 'p', type: 'String' },
      { kind: 'person', groupType: null, name: 'q', type: 'Boolean' },
    ]);
  });

  it('are only those of the group for a $groupidentify', () => {
    const event = anEvent('$groupidentify', { $group_type: 'org', $group_key: 5, $group_set: { n: 1 }, other: 2 });
    expect(seenProperties(event)).toEqual([{ kind: 'group', groupType: 'org', name: 'n', type: 'Numeric' }]);
  });

  it('have names of up to 200 characters', () => {
    expect(seenProperties(anEvent('e', { ['x'.repeat(201)]: 1, '': 2 }))).toEqual([]);
  });
});
