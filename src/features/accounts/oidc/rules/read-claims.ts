/** What the provider says about somebody, as far as it is used. Everything in it was typed by others. */
import { comparable } from './email-domain.ts';

export interface Claims {
  subject: string;
  /** As accounts are looked up by it; null: none, or nothing that can be one. */
  email: string | null;
  /** Null: the provider does not say. */
  isEmailVerified: boolean | null;
  name: string;
  groups: readonly string[];
  /** The provider asked for a second factor. */
  hasFactor: boolean;
  /** The provider's id of the session. */
  sid: string | null;
}

type RawClaims = Readonly<Record<string, unknown>>;

const MAX_GROUPS = 1000;
const MAX_NAME_LENGTH = 150;
const MAX_ID_LENGTH = 255;

export function readClaims(raw: RawClaims, groupsClaim: string): Claims {
  const { sub, email, email_verified: verified, amr, sid } = raw;
  return {
    subject: String(sub),
    email: isAddress(email) ? comparable(email) : null,
    // Some providers send text.
    isEmailVerified: verified === true || verified === 'true' ? true : verified === undefined ? null : false,
    name: nameIn(raw),
    groups: groupsAt(raw, groupsClaim),
    hasFactor: Array.isArray(amr) && amr.includes('mfa'),
    sid: typeof sid === 'string' && sid !== '' && sid.length <= MAX_ID_LENGTH ? sid : null,
  };
}

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u.test(value);

function nameIn({ given_name: given, name, preferred_username: username }: RawClaims): string {
  const found = [given, name, username].find((one) => typeof one === 'string' && one.trim() !== '');
  return typeof found === 'string' ? found.replace(/\p{Cc}/gu, '').slice(0, MAX_NAME_LENGTH) : '';
}

/** `realm_access.roles` is the field `roles` in `realm_access`, unless a claim has that very name. */
export function groupsAt(raw: RawClaims, path: string): string[] {
  const value = Object.hasOwn(raw, path) ? raw[path] : path.split('.').reduce<unknown>(fieldOf, raw);
  const list = Array.isArray(value) ? value : [value];
  return list.filter((one): one is string => typeof one === 'string' && one !== '').slice(0, MAX_GROUPS);
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
