import { messageOf } from '../../../api/api-error.ts';
import { getBlastRadius } from '../../../api/flags.ts';
import { formatNumber } from '../../../lib/format.ts';
import { useProject } from '../../../lib/session.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';
import { useResource } from '../../../lib/use-resource.ts';
import { outOf } from '../affected-users.tsx';
import { audienceWord, type Names } from '../model/descriptions.ts';
import { audienceOfCondition, type Condition, type Filters, propertiesOf, shareOf } from '../model/filters.ts';
import { isComplete } from '../model/operators.ts';

export interface ReachProps {
  filters: Filters;
  condition: Condition;
  names: Names;
}

const PAUSE_MS = 400;

/** How many fit a condition now, counted by the server a moment after it was changed. */
export function Reach({ filters, condition, names }: ReachProps) {
  const { id } = useProject();
  const properties = propertiesOf(condition);
  const audience = audienceOfCondition(filters, condition);
  const asked = useDebounced(JSON.stringify({ condition: { properties }, group_type_index: audience }), PAUSE_MS);
  const canAsk = properties.every(isComplete);
  const reach = useResource(canAsk ? (signal) => getBlastRadius(id, JSON.parse(asked), {}, signal) : null, [id, asked]);
  return (
    <p class="flag-reach" role="status" aria-busy={reach.loading}>
      {canAsk ? wordsOf() : 'Complete the filters to see how many fit.'}
    </p>
  );

  function wordsOf(): string {
    if (reach.error !== undefined) return `Could not be counted: ${messageOf(reach.error)}`;
    if (reach.data === undefined) return 'Counting…';
    const { users_affected: fit, total_users: total } = reach.data;
    const share = shareOf(condition);
    const known = `Affects ${outOf(fit, total, audienceWord(audience, names))}`;
    if (share === 100 || fit === 0) return `${known}.`;
    return `${known}; with a share of ${formatNumber(share)} % about ${formatNumber(Math.round((fit * share) / 100))} get it by this condition.`;
  }
}
