import type { Cohort } from '../../api/cohorts.ts';
import { listCohortsOfPerson, type Person } from '../../api/persons.ts';
import { Link } from '../../components/link.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

export function CohortsTab({ person: { uuid } }: { person: Person }) {
  const { id } = useProject();
  const cohorts = useResource((signal) => listCohortsOfPerson(id, uuid, signal), [id, uuid]);
  const columns: Column<Cohort>[] = [
    {
      id: 'name',
      title: 'Cohort',
      cell: ({ id: number, name }) => (
        <Link to={pathTo('cohort', { project: id, cohort: number }) ?? '/'}>{name || 'without a name'}</Link>
      ),
    },
    {
      id: 'kind',
      title: 'Kind',
      cell: ({ is_static }) => <Badge>{is_static ? 'list' : 'criteria'}</Badge>,
    },
    { id: 'calculated', title: 'Last calculated', cell: ({ last_calculation: at }) => <Time at={at} as="ago" /> },
  ];
  return (
    <Loaded resource={cohorts}>
      {({ results }) => (
        <Table
          label="Cohorts of the person"
          columns={columns}
          rows={results}
          rowKey={(cohort) => cohort.id}
          empty={
            <Empty
              title="In no cohort"
              action={<Link to={pathTo('cohorts', { project: id }) ?? '/'}>Look at the cohorts</Link>}
            >
              Membership is as of the last calculation of each cohort; a new cohort takes a moment.
            </Empty>
          }
        />
      )}
    </Loaded>
  );
}
