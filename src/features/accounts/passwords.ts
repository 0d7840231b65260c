import { invalid } from '../../core/errors.ts';
import { findWeakness } from './rules/weak-password.ts';

/** The password; throws if it is too easy to guess for the account with this address. */
export function checkedPassword(password: string, email: string): string {
  const weakness = findWeakness(password, email);
  if (weakness) throw invalid('password', weakness.detail, weakness.code);
  return password;
}
