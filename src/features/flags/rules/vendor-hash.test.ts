import { createHash } from 'node:crypto';
import { GrowthBookClient } from '@growthbook/growthbook';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vendorPosition } from './vendor-hash.ts';

describe('vendorPosition', () => {
  // Numbers that Unleash's SDKs for several languages have in their tests: 1 to 100.
  it.each([
    ['gr1', '123', 73],
    ['groupX', '999', 25],
  ])('is what clients of Unleash agree on for %s and %s', (groupId, id, normalized) => {
    expect(vendorPosition('unleash', groupId, id, 100) + 1).toBe(normalized);
  });

  it('is what GrowthBook gives, in both versions, for any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.constantFrom(1, 2), (seed, id, hashVersion) => {
        const parts = hashVersion === 1 ? 1000 : 10_000;
        const position = vendorPosition(hashVersion === 1 ? 'growthbook_1' : 'growthbook_2', seed || 'f', id, parts);
        const featureValue = (range: [number, number]) =>
          new GrowthBookClient()
            .initSync({
              payload: { features: { f: { defaultValue: 0, rules: [{ force: 1, seed, hashVersion, range }] } } },
            })
            .evalFeature('f', { attributes: { id } }).value;
        expect(featureValue([position / parts, (position + 1) / parts])).toBe(1);
        expect(featureValue([(position + 1) / parts, 2])).toBe(0);
      }),
    );
  });

  it('is the first 60 bits of SHA-1 for LaunchDarkly, never beyond the last part', () => {
    const digits = createHash('sha1').update('flag.salt.ada').digest('hex').slice(0, 15);
    const expected = (Number.parseInt(digits, 16) / 2 ** 60) * 100_000;
    expect(vendorPosition('launchdarkly', 'flag.salt', 'ada', 100_000)).toBeCloseTo(expected, 6);
  });
});
