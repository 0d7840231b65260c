/** Metrics that are defined once, for several experiments. */
import { useState } from 'preact/hooks';
import {
  deleteSavedMetric,
  type Experiment,
  listExperiments,
  listSavedMetrics,
  type SavedMetric,
} from '../../api/experiments.ts';
import { actionsColumn } from '../../components/actions-column.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { draftOf, metricOf } from './draft.ts';
import { SavedMetricDialog } from './saved-metric-dialog.tsx';
import { experimentsColumn, nameColumn } from './shared-columns.tsx';

/** More than a project has. */
const MAX_EXPERIMENTS = 1000;

export function Page() {
  const { id } = useProject();
  const [edited, setEdited] = useState<SavedMetric | 'new' | null>(null);
  const [deleted, setDeleted] = useState<SavedMetric | null>(null);
  const list = useResource((signal) => listSavedMetrics(id, signal), [id]);
  const experiments = useResource((signal) => listExperiments(id, { limit: MAX_EXPERIMENTS }, signal), [id]);
  const usersOf = (metric: SavedMetric): Experiment[] =>
    (experiments.data?.results ?? []).filter(({ saved_metrics }) =>
      (saved_metrics as { saved_metric: number }[]).some((use) => use.saved_metric === metric.id),
    );
  const add = (
    <Button kind="primary" onClick={() => setEdited('new')}>
      New metric
    </Button>
  );
  return (
    <PageFrame
      title="Saved metrics"
      lead={
        <>
          Defined once and used by several experiments, so that all of them measure the same.{' '}
          <Link to={pathTo('experiments', { project: id }) ?? '/'}>All experiments</Link>
        </>
      }
      actions={add}
    >
      <Loaded resource={list}>
        {({ results }) => (
          <Table
            label="Saved metrics"
            columns={columnsFor({ projectId: id, usersOf, edit: setEdited, remove: setDeleted })}
            rows={results}
            rowKey={(one) => one.id}
            empty={
              <Empty title="No saved metrics yet" action={add}>
                Create one, then select “A saved metric” in the form of a new experiment.
              </Empty>
            }
          />
        )}
      </Loaded>
      {edited !== null && (
        <SavedMetricDialog
          metric={edited === 'new' ? null : edited}
          running={edited === 'new' ? [] : usersOf(edited).filter(({ status }) => status === 'running')}
          onClose={() => {
            setEdited(null);
            list.reload();
          }}
        />
      )}
      {deleted !== null && (
        <Confirm
          title="Delete metric"
          action="Delete"
          danger
          onClose={() => setDeleted(null)}
          onConfirm={async () => {
            await deleteSavedMetric(id, deleted.id);
            list.reload();
          }}
        >
          <p>{deletionNote(deleted, usersOf(deleted))}</p>
        </Confirm>
      )}
    </PageFrame>
  );
}

function deletionNote({ name }: SavedMetric, users: readonly Experiment[]): string {
  const named = (list: readonly Experiment[]): string => list.map((one) => one.name).join(', ');
  const running = users.filter(({ status }) => status === 'running');
  if (running.length > 0) return `“${name}” can be deleted once these experiments have ended: ${named(running)}.`;
  if (users.length === 0) return `No experiment uses “${name}”.`;
  return `“${name}” disappears from these experiments: ${named(users)}.`;
}

interface RowActions {
  projectId: number;
  usersOf(metric: SavedMetric): Experiment[];
  edit(metric: SavedMetric): void;
  remove(metric: SavedMetric): void;
}

const TYPES: Readonly<Record<string, string>> = {
  funnel: 'Conversion',
  mean: 'Value per person',
  ratio: 'Ratio',
  retention: 'Retention',
};

function Measured({ query }: { query: SavedMetric['query'] }) {
  const draft = draftOf(query);
  const named = draft === null ? null : metricOf(draft)?.['name'];
  return (
    <>
      {TYPES[String(query['metric_type'])] ?? String(query['metric_type'])}
      {typeof named === 'string' && <div class="muted small truncate">{named}</div>}
    </>
  );
}

const columnsFor = ({ projectId, usersOf, edit, remove }: RowActions): Column<SavedMetric>[] => [
  nameColumn('Metric'),
  { id: 'measured', title: 'Measured', isWide: true, cell: ({ query }) => <Measured query={query} /> },
  {
    id: 'goal',
    title: 'Goal',
    isWide: true,
    cell: ({ query }) => (query['goal'] === 'decrease' ? 'Decrease' : 'Increase'),
  },
  experimentsColumn(projectId, usersOf),
  actionsColumn({ edit, remove, isEditable: (one) => one.user_access_level === 'editor' }),
];
