import { describe, expect, it } from 'vitest';
import { matchesAtHash } from './at-hash.ts';

describe('matchesAtHash', () => {
  // The example of OpenID Connect Core 1.0, A.3.
  const token = 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y';
  it('knows the example of the standard', () => {
    expect(matchesAtHash('77QmUPtjPfzWtF2AnpK9RQ', token, 'RS256')).toBe(true);
  });
  it.each([['77QmUPtjPfzWtF2AnpK9RR'], [undefined], [''], [null], [1]])('refuses %j', (hash) =>
    expect(matchesAtHash(hash, token, 'RS256')).toBe(false),
  );
  it.each(['ES384', 'PS512', 'EdDSA'])('uses the digest of %s', (algorithm) =>
    expect(matchesAtHash('77QmUPtjPfzWtF2AnpK9RQ', token, algorithm)).toBe(false),
  );
});
