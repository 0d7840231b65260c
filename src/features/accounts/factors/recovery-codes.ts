/** Recovery codes: ten, each for one sign-in without the factor. Only digests are stored, so they are shown once. */
import type { Ids } from '../../../lib/ids.ts';
import { digest } from '../../../lib/secrets.ts';

const COUNT = 10;
/** 50 bits. */
const LENGTH = 10;
/** Without letters that look like digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

export const newRecoveryCodes = (ids: Ids): string[] => Array.from({ length: COUNT }, () => newCode(ids));

function newCode(ids: Ids): string {
  let bits = BigInt(`0x${digest(ids.token(''))}`);
  let code = '';
  for (let i = 0; i < LENGTH; i++) {
    code += ALPHABET[Number(bits & 31n)];
    bits >>= 5n;
  }
  return `${code.slice(0, 5)}-${code.slice(5)}`;
}

/** Null if it cannot be a code. Case and dashes do not matter. */
export function recoveryCodeHash(text: string): string | null {
  const plain = text.toLowerCase().replaceAll(/[\s-]/g, '');
  return plain.length === LENGTH && [...plain].every((one) => ALPHABET.includes(one)) ? digest(plain) : null;
}
