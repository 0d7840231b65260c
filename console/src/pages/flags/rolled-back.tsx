import type { FeatureFlag } from '../../api/flags.ts';
import { get, projectPath } from '../../api/request.ts';
import { Banner } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { isObject } from './model/filters.ts';
import { describeRollback } from './model/rollbacks.ts';

interface Entry {
  created_at: string;
  detail: { trigger: Record<string, unknown> | null };
}

/** Which condition rolled the flag back, and the measured value. */
export function RolledBack({ flag }: { flag: FeatureFlag }) {
  const { id } = useProject();
  const log = useResource(
    (signal) => get<{ results: Entry[] }>(projectPath(id, 'feature_flags', flag.id, 'activity'), { limit: 50 }, signal),
    [id, flag.id, flag.version],
  );
  const entry = log.data?.results.find(({ detail }) => detail.trigger?.['job_type'] === 'rollback');
  const payload = entry?.detail.trigger?.['payload'];
  const { condition, value } = isObject(payload) ? payload : {};
  return (
    <Banner tone="bad">
      This flag was rolled back automatically
      {entry && (
        <>
          {' '}
          on <Time at={entry.created_at} />
        </>
      )}
      {isObject(condition) && <> because {describeRollback(condition)}</>}
      {typeof value === 'number' && <> (measured: {formatNumber(value)})</>}. Fix the problem, then enable it again.
      Only events from then on are counted.
    </Banner>
  );
}
