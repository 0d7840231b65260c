/** Groups of persons, by what they are like and what they did, or by hand. */
import { type Cohort, createCohort, listCohorts } from '../../api/cohorts.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber } from '../../lib/format.ts';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useInterval, useResource } from '../../lib/use-resource.ts';
import { CohortFields } from './cohort-form.tsx';

const LIMIT = 50;
const EVERY_MS = 2000;

export function Page() {
  const { id } = useProject();
  const [offset, setOffset] = useOffset();
  const [isNew, setNew] = useQueryState('new', '', { isStep: true });
  const cohorts = useResource((signal) => listCohorts(id, { limit: LIMIT, offset }, signal), [id, offset]);
  useInterval(() => {
    if (cohorts.data?.results.some(({ is_calculating }) => is_calculating)) cohorts.reload();
  }, EVERY_MS);
  const pageOf = (cohort: Cohort): string => pathTo('cohort', { project: id, cohort: cohort.id }) ?? '/';
  const columns: Column<Cohort>[] = [
    {
      id: 'name',
      title: 'Cohort',
      cell: (cohort) => (
        <>
          <Link to={pageOf(cohort)}>{cohort.name || 'without a name'}</Link>
          {cohort.description !== '' && <div class="soft small">{cohort.description}</div>}
        </>
      ),
    },
    {
      id: 'kind',
      title: 'Kind',
      isWide: true,
      cell: ({ is_static }) => <Badge>{is_static ? 'list' : 'criteria'}</Badge>,
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
      title: 'Made by',
      isWide: true,
      cell: ({ created_by: by }) => by && (by.first_name || by.email),
    },
  ];
  const add = <Button onClick={() => setNew('1')}>Make the first one</Button>;
  return (
    <PageFrame
      title="Cohorts"
      lead="Persons that belong together: flags can ask for a cohort, and so can every chart."
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
                  'Everybody on the team plan who ordered in the last month' is one, and so is a list of beta testers.
                </Empty>
              }
            />
            <Pager offset={offset} limit={LIMIT} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
      {isNew !== '' && (
        <Dialog title="New cohort" side onClose={() => setNew('')}>
          <CohortFields cohort={null} onSave={async (body) => navigate(pageOf(await createCohort(id, body)))} />
        </Dialog>
      )}
    </PageFrame>
  );
}

function CohortState({ cohort }: { cohort: Cohort }) {
  if (cohort.is_calculating) return <Badge tone="accent">calculating…</Badge>;
  if (cohort.errors_calculating > 0) return <Badge tone="bad">failed {cohort.errors_calculating} times</Badge>;
  if (cohort.is_static) return <span class="soft">when changed</span>;
  return <Time at={cohort.last_calculation} as="ago" />;
}
