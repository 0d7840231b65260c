import type { Json, JsonObject } from '../json/json.ts';
import { parseId } from '../parse-id.ts';

/** Membership in a cohort. For a cohort that does not exist it is false, negated or not. */
export interface CohortFilter {
  kind: 'cohort';
  id: number;
  negated: boolean;
}

/** `negation: true` and `not_in` both mean 'not in'; together they cancel out. */
export function isNegatedCohort(item: JsonObject): boolean {
  const isOut = item['operator'] === 'not_in' || item['operator'] === 'is_not';
  return isOut !== (item['negation'] === true);
}

/** An id, or a list of nothing but one. */
export function parseCohortId(value: Json | undefined): number | null {
  const [one, ...rest] = [value].flat();
  return rest.length === 0 ? parseId(one) : null;
}
