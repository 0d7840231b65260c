/** What a flag depends on, and what depends on it. */
import type { ComponentChildren } from 'preact';
import type { FeatureFlag } from '../../api/flags.ts';
import { Facts } from '../../components/facts.tsx';
import { Link } from '../../components/link.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { dependentsOf, prerequisitesOf } from './model/dependencies.ts';

export function DependenciesCard({ flag, flags }: { flag: FeatureFlag; flags: readonly FeatureFlag[] }) {
  const needs = prerequisitesOf(flag.filters);
  const dependents = dependentsOf(flag.id, flags);
  if (needs.length === 0 && dependents.length === 0) return null;
  return (
    <section class="card stack-s" aria-label="Dependencies">
      <h2>Dependencies</h2>
      <Facts
        facts={[
          ['Depends on', needs.length === 0 ? 'No flag' : <FlagLinks ids={needs} flags={flags} />],
          [
            'Needed by',
            dependents.length === 0 ? 'No flag' : <FlagLinks ids={dependents.map(({ id }) => id)} flags={flags} />,
          ],
        ]}
      />
      {dependents.length > 0 && (
        <p class="muted small">
          This flag cannot be disabled or deleted while others need it: remove it from their conditions first.
        </p>
      )}
    </section>
  );
}

function FlagLinks({ ids, flags }: { ids: readonly number[]; flags: readonly FeatureFlag[] }): ComponentChildren {
  const project = useProject();
  return ids.map((id, index) => {
    const found = flags.find((flag) => flag.id === id);
    return (
      <span key={id}>
        {index > 0 && ', '}
        {found ? (
          <Link to={pathTo('flag', { project: project.id, flag: id }) ?? '/'}>{found.key}</Link>
        ) : (
          `Flag ${id} (deleted)`
        )}
        {found && !found.active && ' (disabled)'}
      </span>
    );
  });
}
