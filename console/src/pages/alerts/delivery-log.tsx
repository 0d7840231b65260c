import { type Delivery, listDeliveries, retryDelivery } from '../../api/alerts.ts';
import { Button } from '../../components/button.tsx';
import { Select } from '../../components/field.tsx';
import { Badge, Empty, Loaded, type Tone } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toastError } from '../../components/toast.tsx';
import { useProject } from '../../lib/session.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';

const PAGE_SIZE = 50;
const TONES: Readonly<Record<string, Tone>> = { sent: 'good', failed: 'bad', unknown: 'warn', skipped: 'neutral' };
const STATES = [
  { value: '', label: 'All' },
  ...['waiting', 'sending', 'sent', 'failed', 'unknown', 'skipped'].map((value) => ({
    value,
    label: value.slice(0, 1).toUpperCase() + value.slice(1),
  })),
];
const TYPES: Readonly<Record<string, string>> = { email: 'Mail', slack_webhook: 'Slack', webhook: 'Webhook' };
const REPEATABLE = new Set(['failed', 'unknown', 'skipped']);

/** What was sent to whom. */
export function DeliveryLog({ alertId }: { alertId?: string }) {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const [state] = useQueryState('state');
  const list = useResource(
    (signal) => listDeliveries(id, { state, subject_id: alertId, limit: PAGE_SIZE, offset }, signal),
    [id, state, alertId, offset],
  );
  const retry = (delivery: Delivery): void => void retryDelivery(id, delivery.id).then(list.reload, toastError);
  return (
    <>
      <Select
        label="State"
        value={state}
        options={STATES}
        onChange={(value) => changeFilter({ state: value || null })}
      />
      <Loaded resource={list}>
        {({ results, count }) => (
          <>
            <Table
              label="Deliveries of the last 30 days, newest first"
              columns={columnsFor(retry)}
              rows={results}
              rowKey={(one) => one.id}
              empty={
                <Empty title={state === '' ? 'Nothing was sent yet' : 'No delivery has this state'}>
                  {state === ''
                    ? 'Every message of an alert is listed here for 30 days, with each attempt to deliver it.'
                    : 'Choose another state, or All.'}
                </Empty>
              }
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
    </>
  );
}

const columnsFor = (retry: (delivery: Delivery) => void): Column<Delivery>[] => [
  { id: 'when', title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'title', title: 'Message', cell: ({ title }) => title },
  {
    id: 'target',
    title: 'To',
    isWide: true,
    cell: ({ target_type, target }) => `${TYPES[target_type] ?? target_type}: ${target}`,
  },
  {
    id: 'state',
    title: 'State',
    cell: ({ state, attempts, next_attempt_at: next }) => (
      <>
        <Badge tone={TONES[state] ?? 'accent'}>{state}</Badge>{' '}
        <span class="muted small">
          {attempts.at(-1)?.error}
          {next !== null && attempts.length > 0 && (
            <>
              {' '}
              Next attempt <Time at={next} />
            </>
          )}
        </span>
      </>
    ),
  },
  { id: 'attempts', title: 'Attempts', isNumber: true, isExtraWide: true, cell: ({ attempts }) => attempts.length },
  {
    id: 'retry',
    title: 'Actions',
    hideTitle: true,
    cell: (one) =>
      REPEATABLE.has(one.state) && (
        <Button kind="quiet" small onClick={() => retry(one)}>
          Send again
        </Button>
      ),
  },
];
