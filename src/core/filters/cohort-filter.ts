import type { Json, JsonObject } from '../json/json.ts';

/** Being in a cohort. One that does not exist (any more) has no members, and nobody is outside of it either. */
export interface CohortFilter {
  kind: 'cohort';
  id: number;
  negated: boolean;
}

/** `negation: true` and `not_in` both say 'not in'; together they cancel out. */
export function isNegatedCohort(item: JsonObject): boolean {
  const isOut = item['operator'] === 'not_in' || item['operator'] === 'is_not';
  return isOut !== (item['negation'] === true);
}

/** A whole number, as such, as text, or alone in a list. */
export function parseCohortId(value: Json | undefined): number | null {
  const [one, ...rest] = [value].flat();
  const id = typeof one === 'string' && /^\d{1,15}$/.test(one) ? Number(one) : one;
  return rest.length === 0 && typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
}
