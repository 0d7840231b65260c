import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { newTotpSecret, stepOfCode, totpUrl } from './totp.ts';

/** The secret of RFC 6238, appendix B; its codes are the last six of eight digits. */
const SECRET = Secret.fromUTF8('12345678901234567890').base32;

describe('codes of authenticator apps', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are those of the standard at %d s', (seconds, code) => {
    expect(stepOfCode(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it.each([
    [-31, null],
    [-30, 36],
    [0, 36],
    [29, 36],
    [30, 36],
    [59, 36],
    [60, null],
  ])('are accepted %d s after their step began: %s', (after, step) => {
    const code = TOTP.generate({ secret: Secret.fromBase32(SECRET), timestamp: 36 * 30_000 });
    expect(stepOfCode(SECRET, code, (36 * 30 + after) * 1000)).toBe(step);
  });

  it.each(['', '28708', '2870820', '28708２', ' 287082', '28a082', '287083'])('are not %j', (code) => {
    expect(stepOfCode(SECRET, code, 59_000)).toBeNull();
  });

  it('come from 160 random bits, which a QR code passes on', () => {
    const secret = newTotpSecret();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret()).not.toBe(secret);
    expect(totpUrl(secret, 'ada@example.org')).toBe(
      `otpauth://totp/Cairn:ada%40example.org?issuer=Cairn&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
  });
});
