import { Button } from './button.tsx';
import type { Column } from './table.tsx';

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
