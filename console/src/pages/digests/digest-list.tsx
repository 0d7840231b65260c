import { useState } from 'preact/hooks';
import { type Digest, deleteDigest, listDigests, testDigest, updateDigest } from '../../api/digests.ts';
import { Confirm } from '../../components/dialog.tsx';
import { Link } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useOffset } from '../../lib/use-offset.ts';
import { useResource } from '../../lib/use-resource.ts';
import { DigestDialog } from './digest-dialog.tsx';

const PAGE_SIZE = 50;
const TYPES: Readonly<Record<string, string>> = { email: 'Mail', slack: 'Slack', webhook: 'Webhook' };

/** Short: it is in each row. */
const MORE = (
  <>
    <span aria-hidden="true">⋯</span>
    <span class="visually-hidden">More</span>
  </>
);

const recipients = ({ target_type: type, target_value: value }: Digest): string => {
  if (value !== '') return value.replaceAll(',', ', ');
  return type === 'slack' ? 'webhook of the project' : 'no recipients';
};

const DigestState = ({ digest: { enabled, paused_reason: reason, next_delivery_date: next } }: { digest: Digest }) => {
  if (reason !== null) {
    return (
      <>
        <Badge tone="warn">Paused</Badge> <span class="muted small">{reason}</span>
      </>
    );
  }
  if (!enabled) return <Badge>Disabled</Badge>;
  return next === null ? <Badge>Ended</Badge> : <Badge tone="good">Active</Badge>;
};

export function DigestList() {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const [changed, setChanged] = useState<Digest | null>(null);
  const [deleted, setDeleted] = useState<Digest | null>(null);
  const list = useResource((signal) => listDigests(id, { limit: PAGE_SIZE, offset }, signal), [id, offset]);
  const toggle = ({ id: digest, enabled }: Digest): void =>
    void updateDigest(id, digest, { enabled: !enabled }).then(list.reload, toastError);
  const test = ({ id: digest, target_type: type }: Digest): void =>
    void testDigest(id, digest).then(
      ({ deliveries }) =>
        toast(deliveries === 0 ? 'There is no webhook to send to.' : `Sent ${type === 'email' ? 'to you' : 'now'}.`),
      toastError,
    );
  const pathOf = ({ dashboard, insight_short_id: insight }: Digest): string =>
    (dashboard === null
      ? pathTo('insight', { project: id, insight: insight ?? '' })
      : pathTo('dashboard', { project: id, dashboard })) ?? '/';
  const columns: Column<Digest>[] = [
    { id: 'title', title: 'Digest', cell: (one) => <Link to={pathOf(one)}>{one.title}</Link> },
    { id: 'state', title: 'State', cell: (one) => <DigestState digest={one} /> },
    { id: 'schedule', title: 'Schedule', isWide: true, cell: ({ summary }) => summary.replace(/^sent /, '') },
    {
      id: 'target',
      title: 'To',
      isWide: true,
      cell: (one) => `${TYPES[one.target_type] ?? one.target_type}: ${recipients(one)}`,
    },
    {
      id: 'next',
      title: 'Next',
      isWide: true,
      cell: ({ next_delivery_date: next }) => (next === null ? '–' : <Time at={next} />),
    },
    {
      id: 'last',
      title: 'Last',
      isExtraWide: true,
      cell: ({ last_delivery_date: last }) => (last === null ? 'Not yet' : <Time at={last} />),
    },
    {
      id: 'menu',
      title: '',
      cell: (one) => (
        <Menu label={MORE}>
          <button type="button" onClick={() => setChanged(one)}>
            Change
          </button>
          <button type="button" onClick={() => test(one)}>
            Send a test
          </button>
          <button type="button" onClick={() => toggle(one)}>
            {one.enabled ? 'Pause' : 'Turn on'}
          </button>
          <button type="button" onClick={() => setDeleted(one)}>
            Delete
          </button>
        </Menu>
      ),
    },
  ];
  return (
    <>
      <Loaded resource={list}>
        {({ results, count }) => (
          <>
            <Table
              label="Digests, newest first"
              columns={columns}
              rows={results}
              rowKey={(one) => one.id}
              empty={
                <Empty title="No digests yet">
                  Open a dashboard or a saved insight and choose Subscribe. Its numbers and charts then come by mail,
                  Slack or webhook on a schedule.
                </Empty>
              }
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
      {changed && (
        <DigestDialog digest={changed} name={changed.title} onSaved={list.reload} onClose={() => setChanged(null)} />
      )}
      {deleted && (
        <Confirm
          title="Delete this digest?"
          action="Delete digest"
          danger
          onConfirm={async () => {
            await deleteDigest(id, deleted.id);
            list.reload();
          }}
          onClose={() => setDeleted(null)}
        >
          <p>Nothing is sent any more. What was delivered stays in the log.</p>
        </Confirm>
      )}
    </>
  );
}
