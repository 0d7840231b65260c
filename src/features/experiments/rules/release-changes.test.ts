import { expect, it } from 'vitest';
import { releaseChanges } from './release-changes.ts';

const range = { from: 10, until: 20 };
const version = (updatedAt: number, rollout: number, { active = true, payload = '' } = {}) => ({
  updatedAt,
  active,
  filters: { groups: [{ properties: [], rollout_percentage: rollout }], payloads: { test: payload } },
});

it.each([
  ['no version', [], []],
  ['one before the start', [version(5, 50), version(9, 100)], []],
  ['the launch itself', [version(5, 100, { active: false }), version(10, 100)], []],
  ['a condition', [version(5, 50), version(12, 100), version(15, 20)], [12, 15]],
  ['switched off and on again', [version(5, 50), version(12, 50, { active: false }), version(13, 50)], [12, 13]],
  ['only a payload', [version(5, 50), version(12, 50, { payload: '1' })], []],
  ['after the end', [version(5, 50), version(20, 100)], []],
])('%s', (_, versions, expected) => {
  expect(releaseChanges(versions, range)).toEqual(expected);
});
