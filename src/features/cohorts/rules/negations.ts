import { isJsonObject, type Json } from '../../../core/json/json.ts';

interface NegationState {
  /** There is a negation that is not joined with a positive criterion yet. */
  pending: boolean;
  hasPositive: boolean;
}

/**
 * Whether every negated criterion is joined by AND with a positive one: a cohort of all who did not do something would
 * include everyone else. `properties` has been validated before.
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
