import { type Alert, listAlerts } from '../../api/alerts.ts';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { DigestList } from '../digests/digest-list.tsx';
import { AlertState } from './alert-state.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { describeAlert } from './describe-alert.ts';

const PAGE_SIZE = 50;
const TABS = [
  { id: 'alerts', label: 'Alerts' },
  { id: 'digests', label: 'Digests' },
  { id: 'deliveries', label: 'Deliveries' },
] as const;

export function Page() {
  const { id } = useProject();
  const [tab, setTab] = useQueryState('tab', 'alerts');
  const add = (
    <Link class="button primary" to={pathTo('alert', { project: id, alert: 'new' }) ?? '/'}>
      New alert
    </Link>
  );
  return (
    <PageFrame
      title="Alerts"
      lead="Messages by mail or webhook when a number leaves its bounds, an event falls silent, or a flag changes; and digests on a schedule."
      actions={add}
    >
      <Tabs
        label="Alerts, digests and deliveries"
        tabs={TABS}
        value={TABS.find((one) => one.id === tab)?.id ?? 'alerts'}
        onChange={setTab}
      >
        {tab === 'deliveries' ? <DeliveryLog /> : tab === 'digests' ? <DigestList /> : <AlertList />}
      </Tabs>
    </PageFrame>
  );
}

function AlertList() {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const list = useResource((signal) => listAlerts(id, { limit: PAGE_SIZE, offset }, signal), [id, offset]);
  const pathOf = (alert: Alert): string => pathTo('alert', { project: id, alert: alert.id }) ?? '/';
  const columns: Column<Alert>[] = [
    { id: 'name', title: 'Alert', cell: (one) => <Link to={pathOf(one)}>{one.name}</Link> },
    { id: 'state', title: 'State', cell: (one) => <AlertState alert={one} /> },
    { id: 'rule', title: 'Fires when', isWide: true, cell: describeAlert },
    {
      id: 'value',
      title: 'Last value',
      isNumber: true,
      cell: ({ last_value: value }) => (value === null ? '–' : formatNumber(value)),
    },
    {
      id: 'checked',
      title: 'Last check',
      isExtraWide: true,
      cell: ({ last_checked_at: at }) => (at === null ? 'Not yet' : <Time at={at} />),
    },
  ];
  return (
    <Loaded resource={list}>
      {({ results, count }) => (
        <>
          <Table
            label="Alerts, newest first"
            columns={columns}
            rows={results}
            rowKey={(one) => one.id}
            onOpen={(one) => navigate(pathOf(one))}
            empty={
              <Empty title="No alerts yet">
                Open a saved insight and choose Alert, or create one here. A back-test shows how often it would have
                fired in the last weeks, before you save it.
              </Empty>
            }
          />
          <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
        </>
      )}
    </Loaded>
  );
}
