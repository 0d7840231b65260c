import { listChangeRequests } from '../../api/approvals.ts';
import type { FeatureFlag } from '../../api/flags.ts';
import { Link } from '../../components/link.tsx';
import { Banner } from '../../components/states.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

/** Changes of this flag that wait for approval. */
export function WaitingChanges({ flag }: { flag: FeatureFlag }) {
  const { id: project } = useProject();
  const query = { state: 'pending', resource_id: flag.id, limit: 10, offset: 0 };
  const waiting = useResource((signal) => listChangeRequests(project, query, signal), [project, flag.id, flag.version]);
  const { results = [] } = waiting.data ?? {};
  if (results.length === 0) return null;
  return (
    <Banner tone="warn">
      {results.length === 1 ? 'A change waits' : `${results.length} changes wait`} for approval:{' '}
      {results.map(({ id, intent_display, created_by }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link to={pathTo('approval', { project, request: id }) ?? '/'}>{intent_display.description}</Link>
          {created_by && ` by ${created_by.email}`}
        </span>
      ))}
    </Banner>
  );
}
