import { messageOf } from '../../../api/api-error.ts';
import { getBlastRadius } from '../../../api/flags.ts';
import { formatNumber, formatRollout } from '../../../lib/numbers.ts';
import { useProject } from '../../../lib/session.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';
import { useResource } from '../../../lib/use-resource.ts';
import { outOf } from '../affected-users.tsx';
import { audienceName, type Names } from '../model/descriptions.ts';
import { audienceOfCondition, type Condition, type Filters, propertiesOf, rolloutOf } from '../model/filters.ts';
import { isComplete } from '../model/operators.ts';

interface MatchCountProps {
  filters: Filters;
  condition: Condition;
  names: Names;
}

const DEBOUNCE_MS = 400;

/** How many match a condition, counted by the server. */
export function MatchCount({ filters, condition, names }: MatchCountProps) {
  const { id } = useProject();
  const properties = propertiesOf(condition);
  const audience = audienceOfCondition(filters, condition);
  const query = useDebounced(JSON.stringify({ condition: { properties }, group_type_index: audience }), DEBOUNCE_MS);
  const isReady = properties.every(isComplete);
  const radius = useResource(isReady ? (signal) => getBlastRadius(id, JSON.parse(query), {}, signal) : null, [
    id,
    query,
  ]);
  return (
    <p class="flag-reach" role="status" aria-busy={radius.loading}>
      {isReady ? message() : 'Complete the filters to see how many match.'}
    </p>
  );

  function message(): string {
    if (radius.error !== undefined) return `Could not count matches: ${messageOf(radius.error)}`;
    if (radius.data === undefined) return 'Counting…';
    const { users_affected: matching, total_users: total } = radius.data;
    const rollout = rolloutOf(condition);
    const text = `Matches ${outOf(matching, total, audienceName(audience, names))}.`;
    if (rollout === 100 || matching === 0) return text;
    const reached = Math.round((matching * rollout) / 100);
    return `${text} At ${formatRollout(rollout)} rollout, about ${formatNumber(reached)} get the flag.`;
  }
}
