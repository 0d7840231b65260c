import { parseId } from '../../../../core/parse-id.ts';
import { encodeKey } from '../bucket.ts';
import { toNumber } from './property-text.ts';
import { type DefinitionFields, expectList, expectObject, expectText } from './read-definition.ts';

/** Users held out of experiments. They are the same for all flags: the bucket does not depend on the flag key. */
export interface Holdout {
  /** Of all users, 0 to 100. */
  percentage: number;
  /** What they get; false if the holdout has no variant. */
  value: string | false;
}

export const HOLDOUT_PREFIX = encodeKey('holdout-');

/** From `holdout`, or the older `holdout_groups`, of which only the first counts. */
export function compileHoldout(filters: DefinitionFields): Holdout | null {
  const [first] = expectList(filters['holdout_groups'], 'holdout_groups');
  if (filters['holdout'] !== undefined && filters['holdout'] !== null) {
    const { id, exclusion_percentage: percentage } = expectObject(filters['holdout'], 'holdout');
    return parseId(id) === null ? null : holdoutOf(percentage, `holdout-${id}`);
  }
  if (first === undefined) return null;
  const group = expectObject(first, 'the holdout group');
  // A holdout with properties has never held anybody out, and does not here.
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
