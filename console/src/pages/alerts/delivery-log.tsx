import { type Delivery, listDeliveries, retryDelivery } from '../../api/alerts.ts';
import { deliveryColumns } from '../../components/delivery-columns.tsx';
import { Select } from '../../components/field.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { Pager, Table } from '../../components/table.tsx';
import { toastError } from '../../components/toast.tsx';
import { useProject } from '../../lib/session.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';

const PAGE_SIZE = 50;
const STATES = [
  { value: '', label: 'All' },
  ...['waiting', 'sending', 'sent', 'failed', 'unknown', 'skipped'].map((value) => ({
    value,
    label: value.slice(0, 1).toUpperCase() + value.slice(1),
  })),
];

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
              columns={deliveryColumns(retry)}
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
