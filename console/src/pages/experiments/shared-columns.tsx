/** Columns of what several experiments use: holdouts and saved metrics. */
import type { Experiment } from '../../api/experiments.ts';
import { Button } from '../../components/button.tsx';
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

interface RowActions<T> {
  edit(one: T): void;
  remove(one: T): void;
  /** Default: all of them. */
  isEditable?(one: T): boolean;
}

export const actionsColumn = <T,>({ edit, remove, isEditable = () => true }: RowActions<T>): Column<T> => ({
  id: 'actions',
  title: 'Actions',
  hideTitle: true,
  cell: (one) =>
    isEditable(one) && (
      <div class="row">
        <Button kind="quiet" small onClick={() => edit(one)}>
          Edit
        </Button>
        <Button kind="quiet" small onClick={() => remove(one)}>
          Delete
        </Button>
      </div>
    ),
});
