/**
 * Whether two stored definitions are the same text. A reloaded definition is a new object that was written in the same
 * order; one that was not merely gets compiled again.
 */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  try {
    return JSON.stringify(left) === JSON.stringify(right);
  } catch {
    return false;
  }
}
