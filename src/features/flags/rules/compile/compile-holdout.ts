import { spell } from '../bucket.ts';
import { numberOf } from './property-text.ts';
import { type Fields, readId, readList, readObject, readText } from './read-definition.ts';

/** Those who are kept out of every experiment, the same ones for all flags: their bucket does not depend on the key. */
export interface Holdout {
  /** Buckets up to this part of a hundred are held out. */
  percentage: number;
  /** What they get; false in a holdout that names no variant. */
  value: string | false;
}

export const HOLDOUT_PREFIX = spell('holdout-');

/** `holdout`, or the older `holdout_groups`, of which the first counts. */
export function compileHoldout(filters: Fields): Holdout | null {
  const [first] = readList(filters['holdout_groups'], 'holdout_groups');
  if (filters['holdout'] !== undefined && filters['holdout'] !== null) {
    const { id, exclusion_percentage: percentage } = readObject(filters['holdout'], 'holdout');
    return readId(id) === null ? null : holdoutOf(percentage, `holdout-${id}`);
  }
  if (first === undefined) return null;
  const group = readObject(first, 'the holdout group');
  // Holdouts are about everybody; one with properties never held anybody out.
  if (readList(group['properties'], 'properties of the holdout group').length > 0) return null;
  return holdoutOf(
    group['rollout_percentage'],
    readText(group['variant'], 'the variant of the holdout group') ?? false,
  );
}

function holdoutOf(percentage: unknown, value: string | false): Holdout | null {
  const number = numberOf(percentage);
  return number === null ? null : { percentage: number, value };
}
