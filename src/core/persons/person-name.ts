import type { JsonObject } from '../json/json.ts';

/** Five groups of lower-case letters and digits joined by dashes, like the ids that SDKs generate. */
const MADE_BY_SDK = /^(?:[a-z0-9]+-){4}[a-z0-9]+$/;

const isAnonymousLooking = (distinctId: string): boolean => MADE_BY_SDK.test(distinctId);

/** Generated ids come last; otherwise the order stays. */
export const orderDistinctIds = (distinctIds: readonly string[]): string[] => [
  ...distinctIds.filter((id) => !isAnonymousLooking(id)),
  ...distinctIds.filter(isAnonymousLooking),
];

/** The display name of a person: e-mail, else the best distinct id, else the id. */
export function personName(properties: JsonObject, distinctIds: readonly string[], id: number | string): string {
  const { email } = properties;
  if (email) return typeof email === 'string' ? email : JSON.stringify(email);
  return orderDistinctIds(distinctIds)[0] ?? String(id);
}
