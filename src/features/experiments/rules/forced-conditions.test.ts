import { describe, expect, it } from 'vitest';
import { forcedGroups, rangeBefore } from './forced-conditions.ts';

const PLAIN = { properties: [], rollout_percentage: 100 };
const FORCED = { properties: [{ key: 'plan', value: 'pro' }], rollout_percentage: 50, variant: 'test' };
const version = (updatedAt: number, groups: object[]) => ({ updatedAt, filters: { groups: groups as never } });

describe('conditions that give a variant', () => {
  it('count for the time that they were in force', () => {
    const versions = [version(0, [PLAIN]), version(50, [FORCED, PLAIN]), version(80, [PLAIN])];
    const one = { variant: 'test', properties: FORCED.properties, share: 0.5 };
    expect(forcedGroups(versions, { from: 10, until: 100 })).toEqual([{ ...one, range: { from: 50, until: 80 } }]);
    expect(forcedGroups(versions, { from: 60, until: 70 })).toEqual([{ ...one, range: { from: 60, until: 70 } }]);
  });

  it('do not count where they came with the end, as that of a shipped variant', () => {
    expect(forcedGroups([version(0, [PLAIN]), version(100, [FORCED])], { from: 10, until: 100 })).toEqual([]);
  });

  it('are one condition over several versions, and none without a rollout', () => {
    const versions = [version(0, [FORCED]), version(20, [FORCED, { ...FORCED, rollout_percentage: 0, variant: 'b' }])];
    expect(forcedGroups(versions, { from: 10, until: 100 })).toMatchObject([{ range: { from: 10, until: 100 } }]);
  });
});

describe('the time before the start', () => {
  it('is when the flag was on already', () => {
    const versions = [
      { updatedAt: 10, active: false },
      { updatedAt: 20, active: true },
    ];
    expect(rangeBefore(versions, 100)).toEqual({ from: 20, until: 100 });
    expect(rangeBefore(versions, 20)).toBeNull();
    expect(rangeBefore([], 20)).toBeNull();
  });
});
