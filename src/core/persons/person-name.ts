import type { JsonObject } from '../json/json.ts';

/** Five groups of lower-case letters and digits joined by dashes, as SDKs make ids for visitors they do not know. */
const MADE_BY_SDK = /^(?:[a-z0-9]+-){4}[a-z0-9]+$/;

const isAnonymousLooking = (distinctId: string): boolean => MADE_BY_SDK.test(distinctId);

/** Ids that people chose come first; otherwise the order stays. */
export const orderDistinctIds = (distinctIds: readonly string[]): string[] => [
  ...distinctIds.filter((id) => !isAnonymousLooking(id)),
  ...distinctIds.filter(isAnonymousLooking),
];

/** How a person is called on screen: by e-mail, else by their best distinct id, else by number. */
export function personName(properties: JsonObject, distinctIds: readonly string[], id: number | string): string {
  const { email } = properties;
  if (email) return typeof email === 'string' ? email : JSON.stringify(email);
  return orderDistinctIds(distinctIds)[0] ?? String(id);
}
