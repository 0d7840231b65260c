import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { changedSubjects, groupSubject, mergedSubjects } from './changed-subjects.ts';

const of = (event: JsonObject, engage = false): string[] => changedSubjects([event], engage);

describe('changed subjects', () => {
  it.each<[string, JsonObject, string[]]>([
    ['a plain event', { event: 'ping', distinct_id: 'ada' }, []],
    ['a page view with first values', { event: '$pageview', distinct_id: 'ada', $set_once: { $initial_os: 'x' } }, []],
    ['$set beside the event', { event: 'ping', distinct_id: 'ada', $set: { plan: 'team' } }, ['ada']],
    ['$set inside', { event: 'ping', properties: { distinct_id: 'ada', $set: { plan: 'team' } } }, ['ada']],
    ['$set_once of something else', { event: 'ping', distinct_id: 'ada', $set_once: { since: 1 } }, ['ada']],
    ['$unset', { event: 'ping', distinct_id: 'ada', properties: { $unset: ['plan'] } }, ['ada']],
    ['the event $set', { event: '$set', distinct_id: 7 }, ['7']],
    [
      '$identify with the id before',
      { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'anon' } },
      ['ada', 'anon'],
    ],
    ['$identify alone', { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: null } }, ['ada']],
    ['an alias', { type: 'alias', distinct_id: 'ada', properties: { alias: 'b' } }, ['ada', 'b']],
    ['$merge_dangerously', { event: '$merge_dangerously', distinct_id: 'a', properties: { alias: 'b' } }, ['a', 'b']],
    [
      'a group',
      { event: '$groupidentify', distinct_id: 'a', properties: { $group_type: 'company', $group_key: 5 } },
      [groupSubject('company', '5')],
    ],
    ['a group without a key', { event: '$groupidentify', properties: { $group_type: 'company' } }, []],
    ['no name', { distinct_id: 'ada', $set: { plan: 'team' } }, []],
    ['nobody', { event: '$set', $set: { plan: 'team' } }, []],
    ['strange shapes', { event: '$set', distinct_id: ['x'], properties: [], $set_once: 'no' }, ['["x"]']],
  ])('of %s', (_name, event, expected) => {
    expect(of(event)).toEqual(expected);
  });

  it('reads an event without a name on /engage/ as $identify', () => {
    expect(of({ $distinct_id: 'ada', $set: { plan: 'team' } }, true)).toEqual(['ada']);
  });

  it('truncates and cleans ids as they are stored', () => {
    const [id] = of({ event: '$set', distinct_id: `${'x'.repeat(300)}` });
    expect(id).toBe('x'.repeat(200));
    expect(of({ event: '$set', distinct_id: 'a\u0000b' })).toEqual(['a\ufffdb']);
  });

  it('never takes a distinct id for a group', () => {
    const [id] = of({ event: '$set', distinct_id: groupSubject('company', 'acme') });
    expect(id).not.toBe(groupSubject('company', 'acme'));
  });
});

describe('merged subjects', () => {
  it('are the two ids of an identification, an alias or a merge', () => {
    const events: JsonObject[] = [
      { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'anon' } },
      { event: '$create_alias', distinct_id: 'ada', properties: { alias: 5 } },
      { event: '$merge_dangerously', distinct_id: 'ada', properties: { alias: 'b' } },
    ];
    expect(mergedSubjects(events)).toEqual([
      ['ada', 'anon'],
      ['ada', '5'],
      ['ada', 'b'],
    ]);
  });

  it('do not exist in other events', () => {
    const events: JsonObject[] = [
      { event: '$identify', distinct_id: 'ada', properties: {} },
      { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'ada' } },
      { event: '$set', distinct_id: 'ada', properties: { alias: 'b', $anon_distinct_id: 'c' } },
      { event: '$create_alias', properties: { alias: 'b' } },
      { distinct_id: 'ada', properties: { alias: 'b' } },
    ];
    expect(mergedSubjects(events)).toEqual([]);
  });
});
