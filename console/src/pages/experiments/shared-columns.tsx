/** Columns of what several experiments use: holdouts and saved metrics. */
import type { Experiment } from '../../api/experiments.ts';
import { Link } from '../../components/link.tsx';
import type { Column } from '../../components/table.tsx';
import { pathTo } from '../../lib/route-table.ts';

interface Named {
  name: string;
  description: string | null;
}

export const nameColumn = <T extends Named>(title: string): Column<T> => ({
  id: 'name',
  title,
  cell: ({ name, description }) => (
    <>
      {name}
      {description !== null && <div class="muted small truncate">{description}</div>}
    </>
  ),
});

export const experimentsColumn = <T,>(projectId: number, usersOf: (one: T) => readonly Experiment[]): Column<T> => ({
  id: 'experiments',
  title: 'Experiments',
  isWide: true,
  cell: (one) =>
    usersOf(one).map(({ id, name }) => (
      <div key={id}>
        <Link to={pathTo('experiment', { project: projectId, experiment: id }) ?? '/'}>{name}</Link>
      </div>
    )),
});
