/** Early access and holdouts, which decide before the conditions do. */
import type { FeatureFlag } from '../../../api/flags.ts';
import { Select } from '../../../components/field.tsx';
import { Link } from '../../../components/link.tsx';
import { formatRollout } from '../../../lib/numbers.ts';
import { pathTo } from '../../../lib/route-table.ts';
import { useProject } from '../../../lib/session.ts';
import type { Filters } from '../model/filters.ts';
import { hasEarlyAccess, holdoutOf, setHoldout } from '../model/overrides.ts';
import type { Targets } from './use-targets.ts';

interface OverridesProps {
  /** Null for a new flag. */
  flag: FeatureFlag | null;
  filters: Filters;
  onChange(change: (filters: Filters) => Filters): void;
  targets: Targets;
}

const NO_HOLDOUT = '';

export function Overrides({ flag, filters, onChange, targets }: OverridesProps) {
  const { id } = useProject();
  const [experiment] = flag?.experiment_set_metadata ?? [];
  return (
    <section class="card stack" aria-label="Before the conditions">
      <h2>Before the conditions</h2>
      <p class="muted">
        <EarlyAccess flag={flag} filters={filters} projectId={id} />
      </p>
      {experiment === undefined ? (
        <HoldoutField filters={filters} onChange={onChange} targets={targets} />
      ) : (
        <p class="muted">
          The holdout of this flag is chosen in the experiment{' '}
          <Link to={pathTo('experiment', { project: id, experiment: experiment.id }) ?? '/'}>{experiment.name}</Link>.
        </p>
      )}
      {Boolean(filters['early_exit']) && (
        <p class="muted small">This flag also has an early exit, which can only be changed through the API.</p>
      )}
    </section>
  );
}

function EarlyAccess({ flag, filters, projectId }: Pick<OverridesProps, 'flag' | 'filters'> & { projectId: number }) {
  const link = <Link to={pathTo('early-access', { project: projectId }) ?? '/'}>Early access</Link>;
  const [feature] = flag?.features ?? [];
  if (feature !== undefined && hasEarlyAccess(filters))
    return (
      <>
        {link}: persons who opted in to {feature.name} get the flag, and those who opted out do not.
      </>
    );
  if (feature !== undefined)
    return (
      <>
        {link}: {feature.name} is not open, so that only the conditions count.
      </>
    );
  if (hasEarlyAccess(filters)) return <>{link}: persons who opted in get the flag. This was set through the API.</>;
  return <>{link}: persons cannot opt in to this flag.</>;
}

function HoldoutField({ filters, onChange, targets }: Omit<OverridesProps, 'flag'>) {
  const { id } = useProject();
  const current = holdoutOf(filters);
  const options = targets.holdouts.map((one) => ({
    value: String(one.id),
    label: `${one.name} (${formatRollout(one.filters[0]?.rollout_percentage ?? 0)})`,
  }));
  const isKnown = current === null || targets.holdouts.some((one) => one.id === current);
  return (
    <div class="flag-audience">
      <Select
        label="Holdout"
        value={String(current ?? NO_HOLDOUT)}
        options={[
          { value: NO_HOLDOUT, label: 'No one is held out' },
          ...options,
          ...(isKnown ? [] : [{ value: String(current), label: `Holdout ${current} (deleted)` }]),
        ]}
        onChange={(value) =>
          onChange((before) => setHoldout(before, targets.holdouts.find((one) => String(one.id) === value) ?? null))
        }
        error={isKnown ? null : 'This holdout was deleted, and still holds persons out. Select another one, or none.'}
        hint={
          <>
            These persons never match the conditions.{' '}
            <Link to={pathTo('holdouts', { project: id }) ?? '/'}>Manage holdouts</Link>
          </>
        }
      />
    </div>
  );
}
