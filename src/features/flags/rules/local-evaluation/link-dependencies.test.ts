import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../core/json/json.ts';
import { type LinkedFlag, linkDependencies } from './link-dependencies.ts';

const asks = (id: number | string): JsonObject => ({
  key: String(id),
  type: 'flag',
  operator: 'flag_evaluates_to',
  value: true,
});
const aFlag = (id: number, ...needed: number[]): LinkedFlag => ({
  id,
  key: `flag-${id}`,
  filters: { groups: [{ properties: needed.map(asks) }] },
});
const chains = (flag: LinkedFlag, ...all: LinkedFlag[]) => {
  const linked = linkDependencies(flag.filters, new Map([flag, ...all].map((one) => [String(one.id), one])));
  const [group] = linked['groups'] as { properties: JsonObject[] }[];
  return group?.properties.map((property) => [property['key'], property['dependency_chain']]);
};

describe('dependencies for SDKs', () => {
  it('are named by key, each with what comes before it', () => {
    const found = chains(aFlag(1, 2, 4), aFlag(2, 3), aFlag(3), aFlag(4));
    expect(found).toEqual([
      ['flag-2', ['flag-3', 'flag-2']],
      ['flag-4', ['flag-4']],
    ]);
  });

  it('name a flag once, where two ways lead to it', () => {
    expect(chains(aFlag(1, 2), aFlag(2, 3, 4), aFlag(3, 5), aFlag(4, 5), aFlag(5))).toEqual([
      ['flag-2', ['flag-5', 'flag-3', 'flag-4', 'flag-2']],
    ]);
  });

  it('have an empty chain in a circle, and where a flag is missing', () => {
    expect(chains(aFlag(1, 2), aFlag(2, 3), aFlag(3, 2))).toEqual([['flag-2', []]]);
    expect(chains(aFlag(1, 1))).toEqual([['flag-1', []]]);
    expect(chains(aFlag(1, 2), aFlag(2, 9))).toEqual([['flag-2', []]]);
    expect(chains(aFlag(1, 9))).toEqual([['9', []]]);
  });

  it('are found at once in a ladder with more ways through it than can be walked', () => {
    const rungs = Array.from({ length: 60 }, (_, i) => [
      aFlag(2 * i, 2 * i + 2, 2 * i + 3),
      aFlag(2 * i + 1, 2 * i + 2, 2 * i + 3),
    ]);
    const [chain] = chains(aFlag(1000, 0), ...rungs.flat(), aFlag(120), aFlag(121)) ?? [];
    expect(chain?.[1]).toHaveLength(121);
  });

  it('leave filters without them as they are', () => {
    const filters = { groups: [{ properties: [{ key: 'plan', type: 'person', value: 'pro' }] }], payloads: {} };
    expect(linkDependencies(filters, new Map())).toBe(filters);
  });
});
