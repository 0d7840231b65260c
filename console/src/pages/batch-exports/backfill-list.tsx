/** Earlier times that are exported, interval by interval. */
import { useState } from 'preact/hooks';
import { type Backfill, createBackfill, listBackfills } from '../../api/batch-exports.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Badge, Empty, ErrorNote, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { momentOf } from '../../lib/local-dates.ts';
import { formatPercent } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useOffset } from '../../lib/use-offset.ts';
import { useAction, useInterval, useResource } from '../../lib/use-resource.ts';

const PAGE_SIZE = 50;
const REFRESH_MS = 10_000;

const COLUMNS: Column<Backfill>[] = [
  { id: 'from', title: 'Received from', cell: ({ start_at: at }) => <Time at={at} /> },
  { id: 'until', title: 'Until', cell: ({ end_at: at }) => <Time at={at} /> },
  {
    id: 'state',
    title: 'State',
    cell: ({ status, progress }) =>
      status === 'Completed' ? (
        <Badge tone="good">Completed</Badge>
      ) : (
        <Badge tone="accent">{`${formatPercent(progress)} started`}</Badge>
      ),
  },
  { id: 'created', title: 'Created', isWide: true, cell: ({ created_at: at }) => <Time at={at} /> },
];

export function BackfillList({ exportId, isAdmin }: { exportId: string; isAdmin: boolean }) {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const [isAdding, setAdding] = useState(false);
  const list = useResource(
    (signal) => listBackfills(id, exportId, { limit: PAGE_SIZE, offset }, signal),
    [id, exportId, offset],
  );
  useInterval(list.reload, REFRESH_MS);
  const add = isAdmin && <Button onClick={() => setAdding(true)}>New backfill</Button>;
  return (
    <>
      <Loaded resource={list}>
        {({ results, count }) => (
          <>
            {results.length > 0 && <div class="row">{add}</div>}
            <Table
              label="Backfills, newest first"
              columns={COLUMNS}
              rows={results}
              rowKey={(one) => one.id}
              empty={
                <Empty title="No backfills yet" action={add}>
                  A backfill exports events that were received before the schedule began. A time that was exported
                  before is exported again, under the same names.
                </Empty>
              }
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
      {isAdding && <BackfillDialog exportId={exportId} onCreated={list.reload} onClose={() => setAdding(false)} />}
    </>
  );
}

interface BackfillDialogProps {
  exportId: string;
  onCreated(): void;
  onClose(): void;
}

function BackfillDialog({ exportId, onCreated, onClose }: BackfillDialogProps) {
  const { id, timezone } = useProject();
  const [start, setStart] = useState('');
  const [end, setEnd] = useState('');
  const timeOf = (local: string): string | null =>
    local === '' ? null : new Date(momentOf(local, timezone)).toISOString();
  const create = useAction(async () => {
    await createBackfill(id, exportId, { start_at: timeOf(start), end_at: timeOf(end) });
    toast('Backfill created.');
    onCreated();
    onClose();
  });
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={create.busy} disabled={start === ''} onClick={() => void create.run()}>
        Create backfill
      </Button>
    </>
  );
  return (
    <Dialog title="New backfill" onClose={onClose} footer={footer}>
      <div class="stack">
        <TextField
          label="Received from"
          type="datetime-local"
          value={start}
          onInput={setStart}
          hint={`In ${timezone}; whole intervals are exported.`}
        />
        <TextField
          label="Until"
          type="datetime-local"
          value={end}
          onInput={setEnd}
          hint="Empty: up to where the schedule begins."
        />
        {create.error !== undefined && <ErrorNote error={create.error} />}
      </div>
    </Dialog>
  );
}
