import { hash } from 'node:crypto';
import { makeShortSha1 } from './short-sha1.ts';

/** The largest number of 15 hexadecimal digits, 2 ** 60 - 1, as a double has it. */
const SCALE = 2 ** 60;

const shortSha1 = makeShortSha1();

/**
 * Where an identifier falls in [0, 1]: the first 60 bits of SHA-1 over `<prefix><identifier><salt>`, as every SDK of
 * this wire computes them. The prefix is a flag's key and a dot, or `holdout-`.
 */
export function bucket(prefix: string, identifier: string, salt: string): number {
  const bits = shortSha1(prefix, identifier, salt);
  if (bits >= 0) return bits / SCALE;
  return Number.parseInt(hash('sha1', prefix + identifier + salt, 'hex').slice(0, 15), 16) / SCALE;
}

/** The same text in one piece: joined texts stay chains of their parts, and reading those costs each time. */
export const flatText = (text: string): string => Buffer.from(text).toString();
