import { useState } from 'preact/hooks';
import { createDashboard, type ListedDashboard, listDashboards, updateDashboard } from '../../api/dashboards.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Select, TextField } from '../../components/field.tsx';
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
import { createFromTemplate } from './create-from-template.ts';
import { TEMPLATES } from './templates.ts';

export function Page() {
  const { id } = useProject();
  const [search, setSearch] = useQueryState('search');
  const [isCreating, setCreating] = useState(false);
  const all = useResource((signal) => listDashboards(id, signal), [id]);
  const pin = async ({ id: dashboard, pinned }: ListedDashboard): Promise<void> => {
    await updateDashboard(id, dashboard, { pinned: !pinned }).then(all.reload, toastError);
  };
  const matches = ({ name, description }: ListedDashboard): boolean =>
    `${name} ${description}`.toLowerCase().includes(search.trim().toLowerCase());
  return (
    <PageFrame
      title="Dashboards"
      lead="Your most important insights in one place."
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          New dashboard
        </Button>
      }
    >
      <Loaded resource={all}>
        {(dashboards) => (
          <>
            {dashboards.length > 8 && (
              <TextField label="Search" type="search" value={search} onInput={setSearch} placeholder="Dashboard name" />
            )}
            <Table
              label="Dashboards"
              columns={columns(id, (one) => void pin(one))}
              rows={dashboards.filter(matches)}
              rowKey={({ id: key }) => key}
              empty={
                <Empty title={dashboards.length === 0 ? 'No dashboards yet' : 'No matching dashboards'}>
                  Create a dashboard and add the insights that your team checks regularly.
                </Empty>
              }
            />
          </>
        )}
      </Loaded>
      {isCreating && <NewDashboard onClose={() => setCreating(false)} />}
    </PageFrame>
  );
}

const columns = (projectId: number, onPin: (dashboard: ListedDashboard) => void): Column<ListedDashboard>[] => [
  {
    id: 'name',
    title: 'Name',
    cell: ({ id, name, description }) => (
      <>
        <Link class="truncate" to={pathTo('dashboard', { project: projectId, dashboard: id }) ?? '/'}>
          {name}
        </Link>
        {description && <span class="truncate muted">{description}</span>}
      </>
    ),
  },
  {
    id: 'created',
    title: 'Created',
    isWide: true,
    cell: ({ created_at, created_by }) => (
      <>
        <Time at={created_at} as="relative" />
        {created_by && <span class="truncate muted">{created_by.first_name || created_by.email}</span>}
      </>
    ),
  },
  {
    id: 'pinned',
    title: 'Pinned',
    cell: (dashboard) => (
      <Button
        small
        kind="quiet"
        aria-pressed={dashboard.pinned}
        aria-label={`${dashboard.pinned ? 'Pinned' : 'Pin'}: ${dashboard.name}`}
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
  const [templateId, setTemplateId] = useState('');
  const template = TEMPLATES.find((one) => one.id === templateId);
  const create = useAction(async () => {
    const named = { name: name.trim(), description: description.trim() };
    const created = template ? await createFromTemplate(id, named, template) : await createDashboard(id, named);
    navigate(pathTo('dashboard', { project: id, dashboard: created.id }) ?? '/');
  });
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={create.busy} disabled={name.trim() === ''} onClick={() => void create.run()}>
        Create dashboard
      </Button>
    </>
  );
  return (
    <Dialog title="New dashboard" onClose={onClose} footer={footer}>
      <TextField label="Name" value={name} onInput={setName} maxLength={400} />
      <Select
        label="Template"
        value={templateId}
        options={[
          { value: '', label: 'Empty dashboard' },
          ...TEMPLATES.map((one) => ({ value: one.id, label: one.label })),
        ]}
        hint={template?.lead}
        onChange={(next) => {
          setTemplateId(next);
          const isOurs = name === '' || TEMPLATES.some(({ label }) => label === name);
          if (isOurs) setName(TEMPLATES.find((one) => one.id === next)?.label ?? '');
        }}
      />
      <TextField
        label="Description"
        value={description}
        onInput={setDescription}
        placeholder="Weekly product metrics"
      />
      {create.error !== undefined && <ErrorNote error={create.error} />}
    </Dialog>
  );
}
