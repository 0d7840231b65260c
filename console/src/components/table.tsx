import './table.css';
import type { ComponentChildren, TargetedKeyboardEvent, TargetedMouseEvent } from 'preact';
import { classes } from '../lib/classes.ts';
import { formatNumber } from '../lib/numbers.ts';
import { Button } from './button.tsx';

export interface Column<T> {
  id: string;
  title: string;
  /** Only for screen readers, because what is in the cells says it. */
  hideTitle?: boolean;
  cell(row: T): ComponentChildren;
  /** Right-aligned. */
  isNumber?: boolean;
  /** Hidden on narrow screens. */
  isWide?: boolean;
  /** Also hidden on medium screens. */
  isExtraWide?: boolean;
  canSort?: boolean;
}

/** `-name` is descending, as in the API. */
type Sort = string;

interface TableProps<T> {
  /** For screen readers. */
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey(row: T): string | number;
  /** Opens a row by click, or by arrow keys and Enter. */
  onOpen?(row: T): void;
  openKey?: string | number | null;
  sort?: Sort;
  onSort?(sort: Sort): void;
  /** A heading above each run of rows for which it is the same. */
  sectionOf?(row: T): string;
  /** Shown without rows: an `Empty`. */
  empty?: ComponentChildren;
}

export function Table<T>(props: TableProps<T>) {
  const { label, columns, rows, rowKey, onOpen, openKey, sort, onSort, sectionOf, empty } = props;
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
            const before = rows[index - 1];
            const section = sectionOf?.(row);
            const isNew = section !== undefined && (before === undefined || sectionOf?.(before) !== section);
            return [
              isNew && <SectionRow key={`section ${key}`} title={section} span={columns.length} />,
              <tr
                key={key}
                class={open && 'opens'}
                // One row is in the tab order; arrow keys reach the others.
                tabIndex={open && (openKey === key || (openKey == null && index === 0) ? 0 : -1)}
                aria-current={open && openKey === key}
                onClick={open && ((event) => isPlainClick(event) && open())}
                onKeyDown={open && ((event) => onRowKey(event, open))}
              >
                {columns.map((column) => (
                  <td key={column.id} class={cellClass(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>,
            ];
          })}
        </tbody>
      </table>
    </div>
  );
}

const SectionRow = ({ title, span }: { title: string; span: number }) => (
  <tr class="section">
    <th scope="rowgroup" colSpan={span}>
      {title}
    </th>
  </tr>
);

interface HeadProps<T> {
  column: Column<T>;
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
}

const cellClass = <T,>({ isNumber, isWide, isExtraWide }: Column<T>): string =>
  classes(isNumber && 'number', isWide && 'wide', isExtraWide && 'extra-wide');

function Head<T>({ column, sort, onSort }: HeadProps<T>) {
  const { id, title, hideTitle, canSort } = column;
  const isDown = sort === `-${id}`;
  const isSorted = isDown || sort === id;
  return (
    <th scope="col" class={cellClass(column)} aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : undefined}>
      {canSort && onSort ? (
        <button type="button" onClick={() => onSort(isSorted && isDown ? id : `-${id}`)}>
          {title}
          <span aria-hidden="true">{isSorted ? (isDown ? ' ↓' : ' ↑') : ''}</span>
        </button>
      ) : (
        <span class={hideTitle ? 'visually-hidden' : undefined}>{title}</span>
      )}
    </th>
  );
}

/** Not on links and buttons in the row, and not when selecting text. */
function isPlainClick(event: TargetedMouseEvent<HTMLElement>): boolean {
  const inner = (event.target as Element).closest('a, button, input, label');
  return inner === null && getSelection()?.type !== 'Range';
}

function onRowKey(event: TargetedKeyboardEvent<HTMLTableRowElement>, open: () => void): void {
  if (event.target !== event.currentTarget) return;
  const rows = [...(event.currentTarget.parentElement?.querySelectorAll<HTMLElement>('tr.opens') ?? [])];
  const at = rows.indexOf(event.currentTarget);
  const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 };
  const move = moves[event.key];
  if (move !== undefined) rows[move]?.focus();
  else if (event.key === 'Enter') open();
  else return;
  event.preventDefault();
}

interface PagerProps {
  offset: number;
  limit: number;
  /** Null if unknown. */
  count: number | null;
  /** Required if there is no count. */
  hasNext?: boolean;
  onChange(offset: number): void;
}

/** Renders nothing if everything fits on one page. */
export function Pager({ offset, limit, count, hasNext, onChange }: PagerProps) {
  const more = hasNext ?? (count !== null && offset + limit < count);
  if (offset === 0 && !more) return null;
  const last = count === null ? offset + limit : Math.min(offset + limit, count);
  return (
    <nav class="pager" aria-label="Pagination">
      <Button small disabled={offset === 0} onClick={() => onChange(Math.max(0, offset - limit))}>
        Previous
      </Button>
      <span>
        {formatNumber(offset + 1)}–{formatNumber(last)}
        {count !== null && ` of ${formatNumber(count)}`}
      </span>
      <Button small disabled={!more} onClick={() => onChange(offset + limit)}>
        Next
      </Button>
    </nav>
  );
}
