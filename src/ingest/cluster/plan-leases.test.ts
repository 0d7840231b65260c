import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LeaseState } from '../../stores/cluster/leases.ts';
import { LEADER_LEASE, partitionLease, planLeases } from './plan-leases.ts';

const held = (name: string, holder: string | null): LeaseState => ({ name, holder, token: 1 });
const partitions = (...holders: (string | null)[]): LeaseState[] =>
  holders.map((holder, n) => held(partitionLease(n), holder));

it('gives a single worker everything', () => {
  expect(planLeases([held(LEADER_LEASE, null), ...partitions(null, null)], 'a', ['a'])).toEqual({
    acquire: [LEADER_LEASE, 'log:0', 'log:1'],
    release: [],
  });
});

it('gives a new worker its share: the old one releases, the new one acquires what is free', () => {
  const leases = [held(LEADER_LEASE, 'a'), ...partitions('a', 'a', 'a', 'a')];
  expect(planLeases(leases, 'a', ['a', 'b'])).toEqual({ acquire: [], release: ['log:2', 'log:3'] });
  expect(planLeases(leases, 'b', ['a', 'b'])).toEqual({ acquire: [], release: [] });
  expect(planLeases([...partitions('a', 'a', null, null)], 'b', ['a', 'b'])).toEqual({
    acquire: ['log:2', 'log:3'],
    release: [],
  });
});

it('counts itself even before it has been seen', () => {
  expect(planLeases(partitions('a', 'a', null, null), 'b', ['a'])).toEqual({
    acquire: ['log:2', 'log:3'],
    release: [],
  });
});

it('ends with every partition leased and no worker above its share', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.option(fc.integer({ min: 0, max: 8 }), { nil: null }), { minLength: 1, maxLength: 24 }),
      (count, holders) => {
        const workers = Array.from({ length: count }, (_, n) => `w${n}`);
        // Whoever is not among the workers has died: their leases have run out.
        let leases = partitions(...holders.map((n) => (n !== null && n < count ? `w${n}` : null)));
        for (let round = 0; round < 3; round++) {
          for (const me of workers) {
            const { acquire, release } = planLeases(leases, me, workers);
            leases = leases.map((lease) =>
              acquire.includes(lease.name)
                ? { ...lease, holder: me }
                : release.includes(lease.name)
                  ? { ...lease, holder: null }
                  : lease,
            );
          }
        }
        const share = Math.ceil(leases.length / count);
        expect(leases.filter(({ holder }) => holder === null)).toEqual([]);
        for (const me of workers) {
          expect(leases.filter(({ holder }) => holder === me).length).toBeLessThanOrEqual(share);
        }
      },
    ),
  );
});
