import type { Json } from '../../../../core/json/json.ts';
import { jsonEqual } from '../../../../core/json/json-equal.ts';

/** Whether two stored definitions say the same. Read anew, the same definition is another object. */
export function isSameJson(left: unknown, right: unknown): boolean {
  try {
    return jsonEqual(left as Json | undefined, right as Json | undefined);
  } catch {
    // Nested deeper than the stack. Nobody will miss that it is compiled again.
    return false;
  }
}
