/** Passwords that are guessed first: common ones, one repeated character, and the account's own address. */
import { COMMON_PASSWORDS } from './common-passwords.ts';

const MIN_PASSWORD_LENGTH = 8;
/** Characters that a password must have besides the parts of the address. */
const MIN_BESIDES_ADDRESS = 6;
/** Shorter parts of an address are in too many words. */
const MIN_PART_LENGTH = 3;

interface WeakPassword {
  code: 'password_too_short' | 'password_too_common' | 'password_too_similar';
  detail: string;
}

/** Null if the password is acceptable for the account with this address. */
export function findWeakness(password: string, email: string): WeakPassword | null {
  if (password.length < MIN_PASSWORD_LENGTH) return TOO_SHORT;
  const plain = password.normalize('NFKC').toLowerCase().trim();
  if (isRepetition(plain) || COMMON_PASSWORDS.has(plain)) return TOO_COMMON;
  return besidesAddress(plain, email.toLowerCase()).length < MIN_BESIDES_ADDRESS ? TOO_SIMILAR : null;
}

const TOO_SHORT: WeakPassword = {
  code: 'password_too_short',
  detail: `This password is too short. It must contain at least ${MIN_PASSWORD_LENGTH} characters.`,
};

const TOO_COMMON: WeakPassword = {
  code: 'password_too_common',
  detail: 'This password is too common: it is among the first that anybody guesses. Choose another one.',
};

const TOO_SIMILAR: WeakPassword = {
  code: 'password_too_similar',
  detail: 'This password is too similar to the email address. Choose another one.',
};

/** One or two characters over and over: `aaaaaaaa`, `abababab`. */
const isRepetition = (text: string): boolean => new Set(text).size <= 2;

/** What is left of the password without the address and its parts. */
function besidesAddress(password: string, email: string): string {
  const [local = '', domain = ''] = email.split('@');
  const parts = [email, local, domain, ...email.split(/[^\p{L}\p{N}]+/u)];
  return parts
    .filter((part) => part.length >= MIN_PART_LENGTH)
    .toSorted((a, b) => b.length - a.length)
    .reduce((left, part) => left.replaceAll(part, ''), password);
}
