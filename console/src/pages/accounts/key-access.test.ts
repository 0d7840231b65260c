import { expect, it } from 'vitest';
import { describeScopes, PRESETS, scopesOf } from './key-access.ts';

it('describes presets by their name', () => {
  const presets = PRESETS.filter(({ value }) => value !== 'custom');
  expect(presets.map(({ value }) => describeScopes(scopesOf(value, {})))).toEqual(presets.map(({ label }) => label));
});

it('describes other choices by their scopes', () => {
  expect(scopesOf('custom', { query: 'read', person: '', cohort: 'write' })).toEqual(['query:read', 'cohort:write']);
  expect(describeScopes(['query:read'])).toBe('query:read');
  expect(describeScopes(['query:read', 'cohort:write', 'person:read'])).toBe('query:read and 2 more');
});

it('gives read-only presets no scope to write', () => {
  for (const preset of ['read', 'assistant', 'flags'] as const) {
    expect(scopesOf(preset, {}).every((scope) => scope.endsWith(':read'))).toBe(true);
  }
});
