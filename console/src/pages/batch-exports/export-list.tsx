import { type BatchExport, listBatchExports } from '../../api/batch-exports.ts';
import { Link } from '../../components/link.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useOffset } from '../../lib/use-offset.ts';
import { useResource } from '../../lib/use-resource.ts';
import { describePlace, intervalLabel, modelLabel } from './export-draft.ts';
import { ExportState, RunState } from './export-state.tsx';

const PAGE_SIZE = 50;

export function ExportList() {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const list = useResource((signal) => listBatchExports(id, { limit: PAGE_SIZE, offset }, signal), [id, offset]);
  const pathOf = (one: BatchExport): string => pathTo('batch-export', { project: id, export: one.id }) ?? '/';
  const columns: Column<BatchExport>[] = [
    {
      id: 'name',
      title: 'Export',
      cell: (one) => (
        <Link class="truncate" to={pathOf(one)} title={one.name}>
          {one.name}
        </Link>
      ),
    },
    {
      id: 'state',
      title: 'State',
      cell: (one) => (
        <>
          <ExportState batchExport={one} /> <span class="muted small">{one.paused_reason}</span>
        </>
      ),
    },
    { id: 'model', title: 'Rows', isWide: true, cell: ({ model }) => modelLabel(model) },
    {
      id: 'place',
      title: 'To',
      isExtraWide: true,
      cell: (one) => <span class="truncate">{describePlace(one)}</span>,
    },
    { id: 'interval', title: 'Schedule', isWide: true, cell: ({ interval }) => intervalLabel(interval) },
    {
      id: 'run',
      title: 'Last run',
      cell: ({ latest_runs: [run] }) =>
        run === undefined ? 'Not yet' : [<RunState run={run} />, ' ', <Time at={run.last_updated_at} as="recent" />],
    },
  ];
  return (
    <Loaded resource={list}>
      {({ results, count }) => (
        <>
          <Table
            label="Exports, newest first"
            columns={columns}
            rows={results}
            rowKey={(one) => one.id}
            onOpen={(one) => navigate(pathOf(one))}
            empty={
              <Empty title="No exports yet">
                Write events, persons or sessions to an S3-compatible store or a folder, as Parquet or JSON lines, every
                hour or day. Each event is in exactly one file, and a manifest counts them.
              </Empty>
            }
          />
          <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
        </>
      )}
    </Loaded>
  );
}
