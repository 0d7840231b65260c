/** Features that persons opt in to. */
import { useState } from 'preact/hooks';
import { deleteEarlyAccess, type EarlyAccessFeature, listEarlyAccess } from '../../api/early-access.ts';
import { type FeatureFlag, listFlags } from '../../api/flags.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { toast } from '../../components/toast.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { EarlyAccessDialog } from './early-access-dialog.tsx';
import { stageOf } from './stages.ts';

/** More than a project has. */
const MAX_FLAGS = 1000;

const SNIPPET = `posthog.getEarlyAccessFeatures((features) => {
  // Show them, and when a user opts in or out:
  posthog.updateEarlyAccessFeatureEnrollment(features[0].flagKey, true)
})`;

export function Page() {
  const { id } = useProject();
  const [edited, setEdited] = useState<EarlyAccessFeature | 'new' | null>(null);
  const [deleted, setDeleted] = useState<EarlyAccessFeature | null>(null);
  const list = useResource((signal) => listEarlyAccess(id, signal), [id]);
  const flags = useResource((signal) => listFlags(id, { limit: MAX_FLAGS }, signal), [id]);
  const add = (
    <Button kind="primary" onClick={() => setEdited('new')}>
      New early access feature
    </Button>
  );
  return (
    <PageFrame title="Early access" lead="Features that persons can turn on for themselves." actions={add}>
      <Loaded resource={list}>
        {(features) => (
          <Table
            label="Early access features"
            columns={columnsFor(id, setEdited, setDeleted)}
            rows={features}
            rowKey={(one) => one.id}
            empty={
              <Empty title="No early access features yet" action={add}>
                List a feature in your application before it is released. Persons who opt in get its flag.
              </Empty>
            }
          />
        )}
      </Loaded>
      <section class="card stack-s" aria-label="In your application">
        <h2>In your application</h2>
        <Code text={SNIPPET} label="Code for browsers" />
      </section>
      {edited !== null && (
        <EarlyAccessDialog
          feature={edited === 'new' ? null : edited}
          flags={(flags.data?.results ?? []).filter(canEnroll)}
          onClose={() => setEdited(null)}
          onSaved={() => {
            setEdited(null);
            list.reload();
            flags.reload();
          }}
        />
      )}
      {deleted !== null && (
        <Confirm
          title={`Delete ${deleted.name}?`}
          action="Delete feature"
          danger
          onClose={() => setDeleted(null)}
          onConfirm={async () => {
            await deleteEarlyAccess(id, deleted.id);
            toast(`${deleted.name} deleted.`);
            list.reload();
            flags.reload();
          }}
        >
          <p>
            What persons chose does not count any more. The flag {deleted.feature_flag?.key} stays, and goes by its
            conditions alone.
          </p>
        </Confirm>
      )}
    </PageFrame>
  );
}

/** Persons opt in to a flag without variants. */
function canEnroll(flag: FeatureFlag): boolean {
  const { multivariate, aggregation_group_type_index: group } = flag.filters as {
    multivariate?: { variants?: unknown[] } | null;
    aggregation_group_type_index?: number | null;
  };
  return flag.features.length === 0 && (multivariate?.variants?.length ?? 0) === 0 && (group ?? null) === null;
}

const columnsFor = (
  projectId: number,
  edit: (feature: EarlyAccessFeature) => void,
  remove: (feature: EarlyAccessFeature) => void,
): Column<EarlyAccessFeature>[] => [
  {
    id: 'name',
    title: 'Feature',
    cell: ({ name, description }) => (
      <>
        {name}
        {description !== '' && <div class="muted small truncate">{description}</div>}
      </>
    ),
  },
  {
    id: 'stage',
    title: 'Stage',
    cell: ({ stage }) => (
      <span title={stageOf(stage).hint}>
        <Badge tone={stageOf(stage).tone}>{stageOf(stage).label}</Badge>
      </span>
    ),
  },
  {
    id: 'flag',
    title: 'Feature flag',
    isWide: true,
    cell: ({ feature_flag: flag }) =>
      flag && <Link to={pathTo('flag', { project: projectId, flag: flag.id }) ?? '/'}>{flag.key}</Link>,
  },
  {
    id: 'actions',
    title: 'Actions',
    hideTitle: true,
    cell: (feature) => (
      <div class="row">
        <Button kind="quiet" small aria-label={`Edit ${feature.name}`} onClick={() => edit(feature)}>
          Edit
        </Button>
        <Button kind="quiet" small aria-label={`Delete ${feature.name}`} onClick={() => remove(feature)}>
          Delete
        </Button>
      </div>
    ),
  },
];
