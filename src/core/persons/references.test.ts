import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../json/json.ts';
import { isEventOfPerson, referencesAny } from './references.ts';

const ADA = new Set(['ada', '12']);

describe('referencesAny', () => {
  it.each<[Json | undefined, boolean]>([
    ['ada', true],
    ['ada lovelace', false],
    [{ a: [{ b: 'ada' }] }, true],
    [{ ada: 1 }, false],
    [12, false],
    [null, false],
    [undefined, false],
  ])('%j → %s', (value, expected) => expect(referencesAny(value, ADA)).toBe(expected));
});

describe('isEventOfPerson', () => {
  it.each<[JsonObject, boolean]>([
    [{ distinct_id: 'ada' }, true],
    [{ distinct_id: 12 }, true],
    [{ $distinct_id: 'ada', distinct_id: 'bob' }, true],
    [{ properties: { distinct_id: 'ada' } }, true],
    [{ distinct_id: 'bob', properties: { $anon_distinct_id: 'ada' } }, true],
    [{ distinct_id: 'bob', properties: { alias: 12 } }, true],
    [{ distinct_id: 'bob', properties: { friend: 'ada' } }, false],
    [{ distinct_id: null, properties: { alias: null } }, false],
    [{}, false],
    [{ unreadable: '[{"distinct_id":"ada"' }, true],
    [{ unreadable: '[{"distinct_id":"adam"' }, false],
  ])('%j → %s', (raw, expected) => expect(isEventOfPerson(raw, ADA)).toBe(expected));
});
