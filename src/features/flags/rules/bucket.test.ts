import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucket, encodeKey } from './bucket.ts';

const byOpenSsl = (text: string): number =>
  Number.parseInt(createHash('sha1').update(text).digest('hex').slice(0, 15), 16) / 2 ** 60;

describe('bucket', () => {
  it('is the hash of OpenSSL, for texts of every length', () => {
    const seed = 'some-flag.';
    for (let length = 0; length < 300; length++) {
      const identifier = 'x'.repeat(length);
      expect(bucket(encodeKey(seed), identifier, 'variant'), `${length}`).toBe(
        byOpenSsl(`some-flag.${identifier}variant`),
      );
    }
  });

  it('is the hash of OpenSSL, for any text', () => {
    const text = fc.oneof(fc.string({ maxLength: 80 }), fc.string({ unit: 'binary', maxLength: 40 }));
    fc.assert(
      fc.property(text, text, fc.constantFrom('', 'variant' as const), (key, identifier, salt) => {
        expect(bucket(encodeKey(key), identifier, salt)).toBe(byOpenSsl(key + identifier + salt));
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['é', 'flag-é.', '😀', 'x\u0000y'])('hashes the bytes of %j', (key) => {
    expect(bucket(encodeKey(key), 'straße', '')).toBe(byOpenSsl(`${key}straße`));
    expect(bucket(encodeKey(key), 'plain', '')).toBe(byOpenSsl(`${key}plain`));
  });
});
