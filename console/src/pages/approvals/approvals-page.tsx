import { type ChangeRequest, listChangeRequests } from '../../api/approvals.ts';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { RequestState } from './request-state.tsx';

const PAGE_SIZE = 50;
const TABS = [
  { id: 'pending', label: 'Waiting' },
  { id: 'all', label: 'All' },
] as const;

export function Page() {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const [selected, setTab] = useQueryState('state', 'pending', { isStep: true });
  const tab = selected === 'all' ? 'all' : 'pending';
  const list = useResource(
    (signal) => listChangeRequests(id, { ...(tab === 'all' ? {} : { state: tab }), limit: PAGE_SIZE, offset }, signal),
    [id, tab, offset],
  );
  return (
    <PageFrame title="Approvals" lead="Changes of feature flags that wait until others approve them.">
      <Tabs label="Approvals" tabs={TABS} value={tab} onChange={setTab}>
        <Loaded resource={list}>
          {({ results, count }) => (
            <>
              <Table
                label="Change requests, newest first"
                columns={columnsFor(id)}
                rows={results}
                rowKey={(one) => one.id}
                empty={<NoRequests projectId={id} />}
              />
              <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
            </>
          )}
        </Loaded>
      </Tabs>
    </PageFrame>
  );
}

const NoRequests = ({ projectId }: { projectId: number }) => (
  <Empty title="Nothing waits for approval">
    Admins choose which changes need approval in the{' '}
    <Link to={pathTo('settings', { project: projectId }) ?? '/'}>project settings</Link>.
  </Empty>
);

const columnsFor = (project: number): Column<ChangeRequest>[] => [
  {
    id: 'change',
    title: 'Change',
    cell: ({ id, intent_display }) => (
      <Link to={pathTo('approval', { project, request: id }) ?? '/'}>{intent_display.description}</Link>
    ),
  },
  { id: 'state', title: 'State', cell: (one) => <RequestState request={one} /> },
  { id: 'by', title: 'Asked by', isWide: true, cell: ({ created_by: by }) => by && (by.first_name || by.email) },
  { id: 'when', title: 'Asked', isWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
];
