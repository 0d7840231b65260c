import { encodeKey } from '../bucket.ts';
import { toNumber } from './property-text.ts';
import { type DefinitionFields, expectList, expectObject, expectText, toId } from './read-definition.ts';

/** Those who are kept out of every experiment, the same ones for all flags: their bucket does not depend on the key. */
export interface Holdout {
  /** Buckets up to this part of a hundred are held out. */
  percentage: number;
  /** What they get; false in a holdout that names no variant. */
  value: string | false;
}

export const HOLDOUT_PREFIX = encodeKey('holdout-');

/** `holdout`, or the older `holdout_groups`, of which the first counts. */
export function compileHoldout(filters: DefinitionFields): Holdout | null {
  const [first] = expectList(filters['holdout_groups'], 'holdout_groups');
  if (filters['holdout'] !== undefined && filters['holdout'] !== null) {
    const { id, exclusion_percentage: percentage } = expectObject(filters['holdout'], 'holdout');
    return toId(id) === null ? null : holdoutOf(percentage, `holdout-${id}`);
  }
  if (first === undefined) return null;
  const group = expectObject(first, 'the holdout group');
  // Holdouts are about everybody; one with properties never held anybody out.
  if (expectList(group['properties'], 'properties of the holdout group').length > 0) return null;
  return holdoutOf(
    group['rollout_percentage'],
    expectText(group['variant'], 'the variant of the holdout group') ?? false,
  );
}

function holdoutOf(percentage: unknown, value: string | false): Holdout | null {
  const number = toNumber(percentage);
  return number === null ? null : { percentage: number, value };
}
