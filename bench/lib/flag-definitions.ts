/** Typical flags of a mature product: conditions on properties, rollouts, variants, some payloads. */
import type { JsonObject } from '../../src/core/json/json.ts';

const property = (key: string, value: unknown, operator = 'exact'): object => ({
  key,
  value,
  operator,
  type: 'person',
});

const SHAPES: readonly ((n: number) => object)[] = [
  () => ({
    groups: [{ properties: [property('plan', ['team', 'business'])], rollout_percentage: 50 }],
    payloads: { true: '{"limit": 10}' },
  }),
  () => ({
    groups: [{ properties: [property('country', ['DE', 'FR', 'NL'])], rollout_percentage: 100 }],
    multivariate: variants(['control', 34], ['first', 33], ['second', 33]),
  }),
  () => ({
    groups: [
      { properties: [property('age', 40, 'gt'), property('email', '@example', 'icontains')], rollout_percentage: 80 },
    ],
    multivariate: variants(['control', 50], ['test', 50]),
    payloads: { test: { colour: 'blue' } },
  }),
  (n) => ({
    groups: [
      { properties: [property('beta', true)], rollout_percentage: null },
      { properties: [], rollout_percentage: n % 100 },
    ],
  }),
];

const variants = (...shares: [key: string, percentage: number][]): object => ({
  variants: shares.map(([key, rollout_percentage]) => ({ key, rollout_percentage })),
});

export const flagKey = (n: number): string => `feature-${String(n).padStart(4, '0')}`;

export const flagFilters = (n: number): JsonObject => (SHAPES[n % SHAPES.length]?.(n) ?? {}) as JsonObject;

/** Stored properties of a person: about half of the conditions above match. */
export const personProperties = (n: number): JsonObject => ({
  email: `person-${n}@example.org`,
  plan: ['free', 'team', 'business'][n % 3] ?? 'free',
  country: ['DE', 'US', 'FR', 'GB'][n % 4] ?? 'DE',
  age: 20 + (n % 50),
  beta: n % 5 === 0,
  $browser: 'Chrome',
  $os: 'Mac OS X',
  $initial_referrer: 'https://search.example/',
  $initial_current_url: 'https://demo.example/pricing',
  signed_up_at: '2024-03-01T10:00:00Z',
  seats: n % 40,
});
