/** What stands for a cookieless visitor: hashes under the salt of the day. Without the salt nothing leads back. */
import { createHash, createHmac } from 'node:crypto';

interface VisitorTraits {
  projectId: number;
  address: string;
  /** The site, see `rootDomain`. */
  site: string;
  userAgent: string;
  /** What the site adds to tell visitors apart. */
  extra: string;
}

export interface CookielessIds {
  distinctId: string;
  deviceId: string;
  sessionId: string;
}

const ID_BYTES = 16;

export function cookielessIds(salt: Buffer, day: string, traits: VisitorTraits): CookielessIds {
  const { projectId, address, site, userAgent, extra } = traits;
  const base = createHmac('sha256', salt).update(`${projectId}-${address}-${site}-${userAgent}-${extra}`).digest();
  const hash = (use: string): Buffer => createHash('sha256').update(base).update(use).digest().subarray(0, ID_BYTES);
  return {
    distinctId: `cookieless_${text(hash('visitor'))}`,
    deviceId: `cookielessd_${text(hash('device'))}`,
    sessionId: sessionOfDay(day, hash('session')),
  };
}

const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** A UUIDv7 of the beginning of the day. */
function sessionOfDay(day: string, bytes: Buffer): string {
  bytes.writeUIntBE(Date.parse(`${day}T00:00:00Z`), 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
