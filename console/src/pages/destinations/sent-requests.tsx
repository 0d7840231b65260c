/** What was sent to a webhook in the last days. */
import { listSentRequests, type SentRequest } from '../../api/destinations.ts';
import { Select } from '../../components/field.tsx';
import { EventName } from '../../components/names.tsx';
import { Badge, Empty, Loaded, type Tone } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';

const PAGE_SIZE = 50;
const STATES = [
  { value: '', label: 'All' },
  { value: 'sent', label: 'Sent' },
  { value: 'retried', label: 'Retried' },
  { value: 'failed', label: 'Failed' },
  { value: 'skipped', label: 'Skipped' },
] as const;
type State = (typeof STATES)[number]['value'];
const TONES: Readonly<Record<string, Tone>> = { sent: 'good', retried: 'warn', failed: 'bad', skipped: 'bad' };

const COLUMNS: Column<SentRequest>[] = [
  { id: 'when', title: 'Sent', cell: ({ timestamp }) => <Time at={timestamp} /> },
  {
    id: 'event',
    title: 'Event',
    cell: ({ event, events }) => (event === null ? `${formatNumber(events)} events` : <EventName name={event} />),
  },
  {
    id: 'state',
    title: 'State',
    cell: ({ state }) => <Badge tone={TONES[state] ?? 'neutral'}>{state}</Badge>,
  },
  { id: 'status', title: 'Status', isNumber: true, isWide: true, cell: ({ status }) => status ?? '–' },
  { id: 'ms', title: 'Time', isNumber: true, isExtraWide: true, cell: ({ ms }) => `${formatNumber(ms)} ms` },
  { id: 'message', title: 'Message', isWide: true, cell: ({ message }) => message },
];

export function SentRequests({ destinationId }: { destinationId: string }) {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const [given] = useQueryState('state');
  const state: State = STATES.find(({ value }) => value === given)?.value ?? '';
  const list = useResource(
    (signal) => listSentRequests(id, destinationId, { state, limit: PAGE_SIZE, offset }, signal),
    [id, destinationId, state, offset],
  );
  return (
    <>
      <div class="row-end">
        <Select<State>
          label="State"
          value={state}
          options={STATES}
          onChange={(value) => changeFilter({ state: value || null })}
        />
      </div>
      <Loaded resource={list}>
        {({ results, count }) => (
          <>
            <Table
              label="Requests, newest first"
              columns={COLUMNS}
              rows={results}
              rowKey={(one) => one.id}
              empty={
                state === '' ? (
                  <Empty title="Nothing sent yet">
                    The next event that matches is sent within seconds. Send a test to see what arrives; requests are
                    listed here for 7 days.
                  </Empty>
                ) : (
                  <Empty title="None in this state">Choose another state to see other requests.</Empty>
                )
              }
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
    </>
  );
}
