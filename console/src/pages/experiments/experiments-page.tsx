import { type Experiment, getResults, listExperiments, type Results } from '../../api/experiments.ts';
import { TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Badge, Empty, Loaded, type Tone } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { pluralize } from '../../lib/numbers.ts';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { ExperimentStatus } from './experiment-status.tsx';

const PAGE_SIZE = 25;

export function Page() {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const [search] = useQueryState('search');
  const searchText = useDebounced(search.trim(), 250);
  const experiments = useResource(
    (signal) => listExperiments(id, { search: searchText, limit: PAGE_SIZE, offset }, signal),
    [id, searchText, offset],
  );
  const columns: Column<Experiment>[] = [
    {
      id: 'name',
      title: 'Experiment',
      cell: ({ id: experiment, name, description }) => (
        <>
          <Link to={pathTo('experiment', { project: id, experiment }) ?? '/'}>{name}</Link>
          {description !== '' && <div class="muted small truncate">{description}</div>}
        </>
      ),
    },
    { id: 'status', title: 'Status', cell: ({ status }) => <ExperimentStatus status={status} /> },
    { id: 'health', title: 'Health', cell: (experiment) => <ListedHealth experiment={experiment} /> },
    {
      id: 'flag',
      title: 'Feature flag',
      isWide: true,
      cell: ({ feature_flag_key }) => <code>{feature_flag_key}</code>,
    },
    {
      id: 'start',
      title: 'Launched',
      isWide: true,
      cell: ({ start_date }) =>
        start_date === null ? <span class="muted">Not yet</span> : <Time at={start_date} as="relative" />,
    },
  ];
  const add = (
    <Link class="button primary" to={pathTo('experiment', { project: id, experiment: 'new' }) ?? '/'}>
      New experiment
    </Link>
  );
  return (
    <PageFrame
      title="Experiments"
      lead="See what a feature flag changes, and decide by evidence. You may look at any time."
      actions={
        <>
          <Link class="button" to={pathTo('saved-metrics', { project: id }) ?? '/'}>
            Saved metrics
          </Link>
          <Link class="button" to={pathTo('holdouts', { project: id }) ?? '/'}>
            Holdouts
          </Link>
          {add}
        </>
      }
    >
      <div class="row-end">
        <TextField
          label="Search"
          type="search"
          placeholder="Part of the name"
          value={search}
          onInput={(text) => changeFilter({ search: text })}
        />
      </div>
      <Loaded resource={experiments}>
        {({ results, count }) => (
          <>
            <Table
              label="Experiments, newest first"
              columns={columns}
              rows={results}
              rowKey={(experiment) => experiment.id}
              empty={
                searchText === '' ? (
                  <Empty title="No experiments yet" action={add}>
                    An experiment compares the variants of a feature flag. Create one here, or from a flag’s page.
                  </Empty>
                ) : (
                  <Empty title="No matching experiments">Try another part of the name.</Empty>
                )
              }
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}

const HEALTH: Record<Results['verdict'], { tone: Tone; label: string }> = {
  no_data: { tone: 'warn', label: 'No one exposed' },
  too_early: { tone: 'neutral', label: 'Too early' },
  collecting: { tone: 'neutral', label: 'Collecting' },
  better: { tone: 'good', label: 'Better' },
  worse: { tone: 'bad', label: 'Worse' },
  no_difference_found: { tone: 'neutral', label: 'No difference found' },
  split_broken: { tone: 'bad', label: 'Split not as planned' },
  cannot_calculate: { tone: 'warn', label: 'Cannot be calculated' },
  setup_suspicious: { tone: 'bad', label: 'Set-up is wrong' },
  harm: { tone: 'bad', label: 'Harm' },
  no_harm: { tone: 'neutral', label: 'No harm shown' },
  described: { tone: 'neutral', label: 'Described' },
};

/** Results take a moment, so each row loads its own. */
function ListedHealth({ experiment }: { experiment: Experiment }) {
  const { id } = useProject();
  const results = useResource(
    experiment.status === 'draft' ? null : (signal) => getResults(id, experiment.id, signal),
    [id, experiment.id],
  );
  if (experiment.status === 'draft') return <span class="muted">–</span>;
  if (results.error !== undefined) return <span class="muted">Not available</span>;
  if (results.data === undefined) return <span class="muted">…</span>;
  const { tone, label } = HEALTH[results.data.verdict];
  const { days_left: left } = results.data.plan;
  return (
    <span title={results.data.sentence}>
      <Badge tone={tone}>{label}</Badge>
      {left !== null && left > 0 && <span class="muted small"> {pluralize(left, 'day')} left</span>}
    </span>
  );
}
