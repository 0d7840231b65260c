/** Codes of authenticator apps (RFC 6238): SHA-1, six digits, 30 seconds, which is what all of them support. */
import { Secret, TOTP } from 'otpauth';

const PERIOD_SECONDS = 30;
/** Clocks of phones differ: the code before and the one after are accepted, too. */
const WINDOW = 1;

const totpOf = (secret: string, label?: string): TOTP =>
  new TOTP({
    issuer: 'Cairn',
    ...(label === undefined ? {} : { label }),
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  });

export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** What the QR code contains. */
export const totpUrl = (secret: string, email: string): string => totpOf(secret, email).toString();

/** The time step that a code belongs to, or null if it is wrong. */
export function stepOfCode(secret: string, code: string, now: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const delta = totpOf(secret).validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? null : Math.floor(now / (PERIOD_SECONDS * 1000)) + delta;
}
