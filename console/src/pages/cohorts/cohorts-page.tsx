import { type Cohort, createCohort, listCohorts } from '../../api/cohorts.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useInterval, useResource } from '../../lib/use-resource.ts';
import { CohortForm } from './cohort-form.tsx';

const PAGE_SIZE = 50;
const POLL_INTERVAL_MS = 2000;

export function Page() {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const [isNew, setNew] = useQueryState('new', '', { isStep: true });
  const cohorts = useResource((signal) => listCohorts(id, { limit: PAGE_SIZE, offset }, signal), [id, offset]);
  useInterval(() => {
    if (cohorts.data?.results.some(({ is_calculating }) => is_calculating)) cohorts.reload();
  }, POLL_INTERVAL_MS);
  const pageOf = (cohort: Cohort): string => pathTo('cohort', { project: id, cohort: cohort.id }) ?? '/';
  const columns: Column<Cohort>[] = [
    {
      id: 'name',
      title: 'Cohort',
      cell: (cohort) => (
        <>
          <Link to={pageOf(cohort)}>{cohort.name || 'Untitled cohort'}</Link>
          {cohort.description !== '' && <div class="muted small">{cohort.description}</div>}
        </>
      ),
    },
    {
      id: 'kind',
      title: 'Type',
      isWide: true,
      cell: ({ is_static }) => <Badge>{is_static ? 'Static' : 'Dynamic'}</Badge>,
    },
    {
      id: 'count',
      title: 'Persons',
      isNumber: true,
      cell: ({ count }) => (count === null ? '–' : formatNumber(count)),
    },
    { id: 'state', title: 'Last calculated', isWide: true, cell: (cohort) => <CohortState cohort={cohort} /> },
    {
      id: 'by',
      title: 'Created by',
      isWide: true,
      cell: ({ created_by: by }) => by && (by.first_name || by.email),
    },
  ];
  const add = <Button onClick={() => setNew('1')}>Create cohort</Button>;
  return (
    <PageFrame
      title="Cohorts"
      lead="Groups of persons to use in feature flags, filters and breakdowns."
      actions={
        <Button kind="primary" onClick={() => setNew('1')}>
          New cohort
        </Button>
      }
    >
      <Loaded resource={cohorts}>
        {({ results, count }) => (
          <>
            <Table
              label="Cohorts, newest first"
              columns={columns}
              rows={results}
              rowKey={(cohort) => cohort.id}
              onOpen={(cohort) => navigate(pageOf(cohort))}
              empty={
                <Empty title="No cohorts yet" action={add}>
                  Group persons by their properties and behavior, for example everyone on the team plan who ordered in
                  the last 30 days, or add a list of distinct IDs.
                </Empty>
              }
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
      {isNew !== '' && (
        <Dialog title="New cohort" side onClose={() => setNew('')}>
          <CohortForm
            cohort={null}
            onSave={async (body) => navigate(pageOf(await createCohort(id, body)))}
            onCancel={() => setNew('')}
          />
        </Dialog>
      )}
    </PageFrame>
  );
}

function CohortState({ cohort }: { cohort: Cohort }) {
  if (cohort.is_calculating) return <Badge tone="accent">Calculating…</Badge>;
  if (cohort.errors_calculating > 0)
    return <Badge tone="bad">Failed {pluralize(cohort.errors_calculating, 'time')}</Badge>;
  if (cohort.is_static) return <span class="muted">–</span>;
  return <Time at={cohort.last_calculation} as="relative" />;
}
