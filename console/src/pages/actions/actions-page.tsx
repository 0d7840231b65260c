import { type Action, listActions } from '../../api/actions.ts';
import { TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { describeStep } from './steps.ts';

export function Page() {
  const { id } = useProject();
  const [search, setSearch] = useQueryState('search');
  const actions = useResource((signal) => listActions(id, signal), [id]);
  const pageOf = (action: number | 'new'): string => pathTo('action', { project: id, action }) ?? '/';
  const columns: Column<Action>[] = [
    {
      id: 'name',
      title: 'Action',
      cell: (action) => (
        <>
          <Link class="truncate" to={pageOf(action.id)} title={action.name}>
            {action.name}
          </Link>
          {action.description !== '' && <span class="truncate muted">{action.description}</span>}
        </>
      ),
    },
    {
      id: 'steps',
      title: 'Matches',
      cell: ({ steps }) => (
        <span class="truncate" title={steps.map(describeStep).join('\n')}>
          {steps.length === 0 ? <span class="muted">Nothing</span> : steps.map(describeStep).join(', or ')}
        </span>
      ),
    },
    { id: 'created', title: 'Created', isWide: true, cell: ({ created_at }) => <Time at={created_at} as="relative" /> },
    {
      id: 'by',
      title: 'Created by',
      isExtraWide: true,
      cell: ({ created_by: by }) => by && (by.first_name || by.email),
    },
  ];
  const add = (
    <Link class="button primary" to={pageOf('new')}>
      New action
    </Link>
  );
  const isFound = ({ name, description }: Action): boolean =>
    `${name} ${description}`.toLowerCase().includes(search.trim().toLowerCase());
  return (
    <PageFrame
      title="Actions"
      lead="Several kinds of events under one name, to use in insights, cohorts and filters."
      actions={add}
    >
      <div class="row-end">
        <TextField label="Search" type="search" placeholder="Name or description" value={search} onInput={setSearch} />
      </div>
      <Loaded resource={actions}>
        {(all) => (
          <Table
            label="Actions, newest first"
            columns={columns}
            rows={all.filter(isFound)}
            rowKey={(action) => action.id}
            empty={
              all.length === 0 ? (
                <Empty title="No actions yet" action={add}>
                  Name what people do, for example everyone who clicks Buy now on any page, without changing your app.
                </Empty>
              ) : (
                <Empty title="No matching actions">Try another search term.</Empty>
              )
            }
          />
        )}
      </Loaded>
    </PageFrame>
  );
}
