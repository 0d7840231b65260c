/** The runs of an export, each with its files. */
import { useState } from 'preact/hooks';
import { type ExportFile, type ExportRun, getRun, listRuns, retryRun } from '../../api/batch-exports.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { Empty, ErrorNote, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.tsx';
import { formatBytes, formatNumber } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useOffset } from '../../lib/use-offset.ts';
import { useAction, useInterval, useResource } from '../../lib/use-resource.ts';
import { RunState } from './export-state.tsx';

const PAGE_SIZE = 50;
const REFRESH_MS = 10_000;

const COLUMNS: Column<ExportRun>[] = [
  { id: 'from', title: 'Received from', cell: ({ data_interval_start: at }) => <Time at={at} /> },
  { id: 'until', title: 'Until', isWide: true, cell: ({ data_interval_end: at }) => <Time at={at} /> },
  {
    id: 'state',
    title: 'State',
    cell: (run) => (
      <>
        <RunState run={run} /> <span class="muted small">{run.latest_error}</span>
      </>
    ),
  },
  { id: 'rows', title: 'Rows', isNumber: true, cell: (run) => formatNumber(run.records_completed) },
  { id: 'size', title: 'Size', isNumber: true, isWide: true, cell: (run) => formatBytes(run.bytes_exported) },
  { id: 'attempts', title: 'Attempts', isNumber: true, isExtraWide: true, cell: ({ attempts }) => attempts },
  {
    id: 'finished',
    title: 'Finished',
    isExtraWide: true,
    cell: ({ finished_at: at }) => (at === null ? '–' : <Time at={at} />),
  },
];

export function RunList({ exportId, isAdmin }: { exportId: string; isAdmin: boolean }) {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const [open, setOpen] = useState<string | null>(null);
  const list = useResource(
    (signal) => listRuns(id, exportId, { limit: PAGE_SIZE, offset }, signal),
    [id, exportId, offset],
  );
  useInterval(list.reload, REFRESH_MS);
  return (
    <>
      <Loaded resource={list}>
        {({ results, count }) => (
          <>
            <Table
              label="Runs, newest interval first"
              columns={COLUMNS}
              rows={results}
              rowKey={(run) => run.id}
              onOpen={(run) => setOpen(run.id)}
              openKey={open}
              empty={
                <Empty title="No runs yet">
                  The first run begins when the current interval is over and all of its events are processed. A backfill
                  exports what came before.
                </Empty>
              }
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
      {open !== null && (
        <RunDialog
          exportId={exportId}
          runId={open}
          isAdmin={isAdmin}
          onChange={list.reload}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

const FILE_COLUMNS: Column<ExportFile>[] = [
  { id: 'name', title: 'File', cell: ({ name }) => <code class="file-name">{name}</code> },
  { id: 'rows', title: 'Rows', isNumber: true, cell: ({ records }) => formatNumber(records) },
  { id: 'size', title: 'Size', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
  {
    id: 'sha',
    title: 'SHA-256',
    isWide: true,
    cell: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 12)}…</code>,
  },
];

interface RunDialogProps {
  exportId: string;
  runId: string;
  isAdmin: boolean;
  onChange(): void;
  onClose(): void;
}

function RunDialog({ exportId, runId, isAdmin, onChange, onClose }: RunDialogProps) {
  const { id } = useProject();
  const run = useResource((signal) => getRun(id, exportId, runId, signal), [id, exportId, runId]);
  const repeat = useAction(async () => {
    await retryRun(id, exportId, runId);
    toast('The run is repeated.');
    run.reload();
    onChange();
  });
  const isOver = run.data?.status === 'Completed' || run.data?.status === 'Failed';
  const footer = isAdmin && isOver && (
    <Button busy={repeat.busy} onClick={() => void repeat.run()}>
      Run again
    </Button>
  );
  return (
    <Dialog side title="Run" onClose={onClose} footer={footer}>
      <Loaded resource={run}>
        {(shown) => (
          <div class="stack">
            {repeat.error !== undefined && <ErrorNote error={repeat.error} />}
            {shown.latest_error !== null && <ErrorNote error={new Error(shown.latest_error)} />}
            <Facts facts={factsOf(shown)} />
            <Table
              label="Files"
              columns={FILE_COLUMNS}
              rows={shown.files}
              rowKey={({ name }) => name}
              empty={
                <Empty title="No files">
                  {shown.status === 'Completed'
                    ? 'Nothing was received in this time; the manifest says so.'
                    : 'None has arrived yet.'}
                </Empty>
              }
            />
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

const factsOf = (run: ExportRun): Fact[] => [
  ['State', <RunState run={run} />],
  ['Received from', <Time at={run.data_interval_start} />],
  ['Until', <Time at={run.data_interval_end} />],
  ['Rows', formatNumber(run.records_completed)],
  ['Size', formatBytes(run.bytes_exported)],
  ['Attempts', formatNumber(run.attempts)],
  ...(run.retry_at === null ? [] : [['Next attempt', <Time at={run.retry_at} />] as Fact]),
  ['Finished', run.finished_at === null ? 'Not yet' : <Time at={run.finished_at} />],
  ['Manifest', run.manifest === null ? 'Written last' : <code class="file-name">{run.manifest}</code>],
];
