import { invalid } from '../../core/errors.ts';
import type { SecretKey } from '../../lib/secret-key.ts';

interface SecretSetting {
  value: string;
  /** The encrypted value that is stored, if there is one: a request that leaves it as it is means that one. */
  stored: string | undefined;
  /** Binds it to its place: it cannot be moved to another destination. */
  about: string;
}

/** Encrypts a setting that is new; `field` and `what` are for the error where there is no key. */
export function encryptSetting(
  key: SecretKey | null,
  { value, stored, about }: SecretSetting,
  field: string,
  what: string,
): string {
  if (value === stored) return value;
  if (key === null)
    throw invalid(field, `${what} cannot be encrypted: the operator of the server has to set SECRET_KEY.`);
  return key.encrypt(value, about);
}
