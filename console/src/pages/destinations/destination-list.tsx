import { type Destination, listDestinations } from '../../api/destinations.ts';
import { Link } from '../../components/link.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useOffset } from '../../lib/use-offset.ts';
import { useResource } from '../../lib/use-resource.ts';
import { draftOf } from './destination-draft.ts';
import { DestinationState } from './destination-state.tsx';
import { describeEventFilters } from './event-filters.ts';

const PAGE_SIZE = 50;

export function DestinationList() {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const list = useResource((signal) => listDestinations(id, { limit: PAGE_SIZE, offset }, signal), [id, offset]);
  const pathOf = (one: Destination): string => pathTo('destination', { project: id, destination: one.id }) ?? '/';
  const columns: Column<Destination>[] = [
    {
      id: 'name',
      title: 'Webhook',
      cell: (one) => (
        <>
          <Link class="truncate" to={pathOf(one)} title={one.name}>
            {one.name}
          </Link>
          {one.description !== '' && <span class="truncate muted">{one.description}</span>}
        </>
      ),
    },
    {
      id: 'state',
      title: 'State',
      cell: (one) => (
        <>
          <DestinationState destination={one} /> <span class="muted small">{one.status.error}</span>
        </>
      ),
    },
    {
      id: 'events',
      title: 'Events',
      isWide: true,
      cell: (one) => <span class="truncate">{describeEventFilters(draftOf(one).events)}</span>,
    },
    {
      id: 'url',
      title: 'Address',
      isExtraWide: true,
      cell: (one) => <span class="truncate">{draftOf(one).url}</span>,
    },
    { id: 'waiting', title: 'Waiting', isNumber: true, cell: ({ status }) => formatNumber(status.waiting) },
  ];
  return (
    <Loaded resource={list}>
      {({ results, count }) => (
        <>
          <Table
            label="Webhooks, newest first"
            columns={columns}
            rows={results}
            rowKey={(one) => one.id}
            onOpen={(one) => navigate(pathOf(one))}
            empty={
              <Empty title="No webhooks yet">
                Send events to your own services as they are stored: orders to a CRM, sign-ups to a chat. Choose the
                events, the address and what is sent; each event arrives at least once, signed, and in order for each
                person.
              </Empty>
            }
          />
          <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
        </>
      )}
    </Loaded>
  );
}
