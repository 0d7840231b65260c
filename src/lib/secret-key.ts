/**
 * Encrypts secrets that have to be read again, such as those of authenticator apps. The key is apart from the data: a copy
 * of the database alone, as in a backup, gives none of them away.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class SecretKey {
  readonly #key: Buffer;

  /** From a text of the operator's or of a file. */
  constructor(text: string) {
    this.#key = Buffer.from(hkdfSync('sha256', text, '', 'cairn secrets', 32));
  }

  /** `about` binds the result to its place: it cannot be moved to another user's row. */
  encrypt(text: string, about: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce).setAAD(Buffer.from(about));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** Null if it was encrypted with another key, for another place, or is damaged. */
  decrypt(sealed: string, about: string): string | null {
    const bytes = Buffer.from(sealed, 'base64');
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(about))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return null;
    }
  }
}

/** The key of a file that is made when it is first needed, readable for this user alone. */
export function secretKeyFile(path: string): SecretKey {
  try {
    writeFileSync(path, randomBytes(32).toString('base64'), { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const text = readFileSync(path, 'utf8').trim();
  if (text.length < 32) throw new Error(`${path} is damaged: restore it, or remove it to set up second factors again.`);
  return new SecretKey(text);
}
