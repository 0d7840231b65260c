import { isJsonObject, type Json } from '../../../core/json/json.ts';

interface NegationState {
  /** A negation that nothing positive stands beside yet. */
  pending: boolean;
  hasPositive: boolean;
}

/**
 * True if every negated criterion is joined by AND with something positive: 'everybody who did not' is no cohort that
 * anybody means. `properties` has been parsed before, so its shape is known to be right.
 */
export const negationsArePaired = (properties: Json): boolean => !negationState(properties).pending;

function negationState(node: Json): NegationState {
  if (Array.isArray(node)) return negationState({ type: 'AND', values: node });
  if (!isJsonObject(node)) return { pending: false, hasPositive: false };
  const { type, values } = node;
  if (!Array.isArray(values)) {
    const isNegated = node['negation'] === true;
    return { pending: isNegated, hasPositive: !isNegated };
  }
  const all = values.map(negationState);
  const pending = all.some((one) => one.pending);
  const hasPositive = all.some((one) => one.hasPositive);
  return { pending: pending && !(type === 'AND' && hasPositive), hasPositive };
}
