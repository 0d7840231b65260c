import { createHash } from 'node:crypto';

/** Whether the ID token was issued with this access token: half of the digest that its algorithm uses. */
export function matchesAtHash(atHash: unknown, accessToken: string, algorithm: string): boolean {
  const bits = /(256|384|512)$/.exec(algorithm)?.[1] ?? '512';
  const digest = createHash(`sha${bits}`).update(accessToken, 'ascii').digest();
  return atHash === digest.subarray(0, digest.length / 2).toString('base64url');
}
