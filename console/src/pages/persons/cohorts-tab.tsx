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
        <Link to={pathTo('cohort', { project: id, cohort: number }) ?? '/'}>{name || 'Untitled cohort'}</Link>
      ),
    },
    {
      id: 'kind',
      title: 'Type',
      cell: ({ is_static }) => <Badge>{is_static ? 'Static' : 'Dynamic'}</Badge>,
    },
    { id: 'calculated', title: 'Last calculated', cell: ({ last_calculation: at }) => <Time at={at} as="relative" /> },
  ];
  return (
    <Loaded resource={cohorts}>
      {({ results }) => (
        <Table
          label="Cohorts"
          columns={columns}
          rows={results}
          rowKey={(cohort) => cohort.id}
          empty={
            <Empty
              title="Not in any cohort"
              action={<Link to={pathTo('cohorts', { project: id }) ?? '/'}>View cohorts</Link>}
            >
              Membership is updated when a cohort is calculated, which takes a moment for a new cohort.
            </Empty>
          }
        />
      )}
    </Loaded>
  );
}
