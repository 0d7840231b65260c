/** Boards of saved insights. */

import { useState } from 'preact/hooks';
import { createDashboard, type ListedDashboard, listDashboards, updateDashboard } from '../../api/dashboards.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, ErrorNote, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toastError } from '../../components/toast.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';

export function Page() {
  const { id } = useProject();
  const [search, setSearch] = useQueryState('search');
  const [isMaking, setMaking] = useState(false);
  const all = useResource((signal) => listDashboards(id, signal), [id]);
  const pin = async ({ id: dashboard, pinned }: ListedDashboard): Promise<void> => {
    await updateDashboard(id, dashboard, { pinned: !pinned }).then(all.reload, toastError);
  };
  const fits = ({ name, description }: ListedDashboard): boolean =>
    `${name} ${description}`.toLowerCase().includes(search.trim().toLowerCase());
  return (
    <PageFrame
      title="Dashboards"
      lead="Insights side by side, over the same time."
      actions={
        <Button kind="primary" onClick={() => setMaking(true)}>
          New dashboard
        </Button>
      }
    >
      <Loaded resource={all}>
        {(dashboards) => (
          <>
            {dashboards.length > 8 && (
              <TextField label="Search" type="search" value={search} onInput={setSearch} placeholder="name" />
            )}
            <Table
              label="Dashboards"
              columns={columns(id, (one) => void pin(one))}
              rows={dashboards.filter(fits)}
              rowKey={({ id: key }) => key}
              empty={
                <Empty title={dashboards.length === 0 ? 'No dashboard yet' : 'No dashboard is called that'}>
                  Make one and put saved insights on it: what everybody looks at in the morning.
                </Empty>
              }
            />
          </>
        )}
      </Loaded>
      {isMaking && <NewDashboard onClose={() => setMaking(false)} />}
    </PageFrame>
  );
}

const columns = (projectId: number, onPin: (dashboard: ListedDashboard) => void): Column<ListedDashboard>[] => [
  {
    id: 'name',
    title: 'Name',
    cell: ({ id, name, description }) => (
      <>
        <Link class="cut" to={pathTo('dashboard', { project: projectId, dashboard: id }) ?? '/'}>
          {name}
        </Link>
        {description && <span class="cut soft">{description}</span>}
      </>
    ),
  },
  {
    id: 'created',
    title: 'Made',
    isWide: true,
    cell: ({ created_at, created_by }) => (
      <>
        <Time at={created_at} as="ago" />
        {created_by && <span class="cut soft">{created_by.first_name || created_by.email}</span>}
      </>
    ),
  },
  {
    id: 'pinned',
    title: 'On top',
    cell: (dashboard) => (
      <Button
        small
        kind="quiet"
        aria-pressed={dashboard.pinned}
        aria-label={`Keep ${dashboard.name} on top`}
        onClick={() => onPin(dashboard)}
      >
        {dashboard.pinned ? 'Pinned' : 'Pin'}
      </Button>
    ),
  },
];

function NewDashboard({ onClose }: { onClose(): void }) {
  const { id } = useProject();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const make = useAction(async () => {
    const made = await createDashboard(id, { name: name.trim(), description: description.trim() });
    navigate(pathTo('dashboard', { project: id, dashboard: made.id }) ?? '/');
  });
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={make.busy} disabled={name.trim() === ''} onClick={() => void make.run()}>
        Make the dashboard
      </Button>
    </>
  );
  return (
    <Dialog title="New dashboard" onClose={onClose} footer={footer}>
      <TextField label="Name" value={name} onInput={setName} maxLength={400} />
      <TextField label="Description" value={description} onInput={setDescription} placeholder="What it is for" />
      {make.error !== undefined && <ErrorNote error={make.error} />}
    </Dialog>
  );
}
