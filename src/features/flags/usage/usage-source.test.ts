import { expect, it } from 'vitest';
import { libSource, usageSource } from './usage-source.ts';

it.each<[string | undefined, string | null, string]>([
  ['posthog-node/5.67.1', null, 'posthog-node/5.67'],
  ['posthog-python/3', null, 'posthog-python/3.0'],
  ['PostHog-Ruby/2.8.1 (x)', '1.2.3', 'posthog-ruby/2.8'],
  ['Mozilla/5.0 Chrome/140.0.0.0', '1.130.2', 'posthog-js/1.130'],
  ['Mozilla/5.0 Chrome/140.0.0.0', null, 'other'],
  ['Mozilla/5.0', 'latest', 'other'],
  [undefined, undefined as never, 'other'],
  [`posthog-node/${'9'.repeat(500)}.1`, null, 'posthog-node/9999.1'],
])('of user agent %j and version %j is %s', (userAgent, version, source) => {
  expect(usageSource(userAgent, version)).toBe(source);
});

it.each<[string | null, string | null, string]>([
  ['web', '1.130.2', 'posthog-js/1.130'],
  ['posthog-node', '5.67.1', 'posthog-node/5.67'],
  ['posthog-go', null, 'posthog-go'],
  [null, '1.0.0', 'other'],
  ['', '1.0.0', 'other'],
])('of an event by %j %j is %s', (lib, version, source) => {
  expect(libSource(lib, version)).toBe(source);
});
