import './table.css';
import type { ComponentChildren, TargetedKeyboardEvent, TargetedMouseEvent } from 'preact';
import { classes } from '../lib/classes.ts';
import { countOf, formatNumber } from '../lib/format.ts';
import { Button } from './button.tsx';

export interface Column<T> {
  id: string;
  title: string;
  cell(row: T): ComponentChildren;
  /** Numbers stand to the right. */
  isNumber?: boolean;
  /** Left out on narrow screens. */
  isWide?: boolean;
  /** The head can be pressed to sort by it. */
  canSort?: boolean;
}

/** `-name` is downwards, as on the wire. */
export type Sort = string;

export interface TableProps<T> {
  /** What the table shows, for screen readers. */
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey(row: T): string | number;
  /** Rows can be opened: by a click, or by Enter on the row that the arrow keys have reached. */
  onOpen?(row: T): void;
  openKey?: string | number | null;
  sort?: Sort;
  onSort?(sort: Sort): void;
  /** In place of rows where there are none: an `Empty`. */
  empty?: ComponentChildren;
}

export function Table<T>({ label, columns, rows, rowKey, onOpen, openKey, sort, onSort, empty }: TableProps<T>) {
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  return (
    <div class="table-frame">
      <table class="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const key = rowKey(row);
            const open = onOpen && (() => onOpen(row));
            return (
              <tr
                key={key}
                class={open && 'opens'}
                // The first row can be reached by Tab, the others by arrow keys from there.
                tabIndex={open && (openKey === key || (openKey == null && index === 0) ? 0 : -1)}
                aria-current={open && openKey === key}
                onClick={open && ((event) => isPlainClick(event) && open())}
                onKeyDown={open && ((event) => onRowKey(event, open))}
              >
                {columns.map((column) => (
                  <td key={column.id} class={classes(column.isNumber && 'number', column.isWide && 'wide')}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface HeadProps<T> {
  column: Column<T>;
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
}

function Head<T>({ column: { id, title, isNumber, isWide, canSort }, sort, onSort }: HeadProps<T>) {
  const isDown = sort === `-${id}`;
  const isSorted = isDown || sort === id;
  return (
    <th
      scope="col"
      class={classes(isNumber && 'number', isWide && 'wide')}
      aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : undefined}
    >
      {canSort && onSort ? (
        <button type="button" onClick={() => onSort(isSorted && isDown ? id : `-${id}`)}>
          {title}
          <span aria-hidden="true">{isSorted ? (isDown ? ' ↓' : ' ↑') : ''}</span>
        </button>
      ) : (
        title
      )}
    </th>
  );
}

/** Links and buttons inside of a row do their own thing, and marking text is no click. */
function isPlainClick(event: TargetedMouseEvent<HTMLElement>): boolean {
  const inner = (event.target as Element).closest('a, button, input, label');
  return inner === null && getSelection()?.type !== 'Range';
}

function onRowKey(event: TargetedKeyboardEvent<HTMLTableRowElement>, open: () => void): void {
  if (event.target !== event.currentTarget) return;
  const row = event.currentTarget;
  const moves: Record<string, () => Element | null | undefined> = {
    ArrowDown: () => row.nextElementSibling,
    ArrowUp: () => row.previousElementSibling,
    Home: () => row.parentElement?.firstElementChild,
    End: () => row.parentElement?.lastElementChild,
  };
  const move = moves[event.key];
  if (move) (move() as HTMLElement | null)?.focus();
  else if (event.key === 'Enter') open();
  else return;
  event.preventDefault();
}

export interface PagerProps {
  /** How many were passed over. */
  offset: number;
  /** How many are shown at once. */
  limit: number;
  /** How many there are; null where nobody has counted. */
  count: number | null;
  /** Whether there are more: needed where there is no count. */
  hasNext?: boolean;
  onChange(offset: number): void;
}

/** Nothing where everything fits on one page. */
export function Pager({ offset, limit, count, hasNext, onChange }: PagerProps) {
  const more = hasNext ?? (count !== null && offset + limit < count);
  if (offset === 0 && !more) return null;
  const last = count === null ? offset + limit : Math.min(offset + limit, count);
  return (
    <nav class="pager" aria-label="Pages">
      <Button small disabled={offset === 0} onClick={() => onChange(Math.max(0, offset - limit))}>
        Earlier page
      </Button>
      <span>
        {formatNumber(offset + 1)} to {formatNumber(last)}
        {count !== null && ` of ${countOf(count, 'row')}`}
      </span>
      <Button small disabled={!more} onClick={() => onChange(offset + limit)}>
        Next page
      </Button>
    </nav>
  );
}
