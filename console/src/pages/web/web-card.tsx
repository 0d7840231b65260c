import { useState } from 'preact/hooks';
import { getBreakdown, type WebNumbers, type WebTable, webCsvPath } from '../../api/web.ts';
import { ValueBar } from '../../charts/value-bar.tsx';
import { Button } from '../../components/button.tsx';
import { CsvLink } from '../../components/csv-link.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Loaded } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { formatNumber, formatPercent } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useResource } from '../../lib/use-resource.ts';
import { filterKey, TABLE_LABELS, valueLabel, type WebState } from './web-state.ts';

interface RowsProps {
  table: string;
  rows: WebTable['rows'];
  /** All visitors, of whom rows are a share. */
  visitors: number;
  state: WebState;
}

/** A value with a bar, visitors and share; a click filters the page by it. */
function Rows({ table, rows, visitors, state }: RowsProps) {
  const key = filterKey(table);
  const most = Math.max(1, ...rows.map(([, numbers]) => (numbers as WebNumbers).visitors));
  const isOn = (value: string): boolean => state.fields.filters.some((one) => one.key === key && one.value === value);
  return (
    <table class="web-rows">
      <thead class="visually-hidden">
        <tr>
          <th>{TABLE_LABELS[table]}</th>
          <th>Visitors</th>
          <th>Share</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const [value, numbers] = row as [string, WebNumbers];
          const label = valueLabel(key, value);
          return (
            <tr key={value}>
              <td>
                <ValueBar share={numbers.visitors / most} colour={0} />
                <button type="button" aria-pressed={isOn(value)} title={label} onClick={() => state.toggle(key, value)}>
                  <span class="truncate">{label}</span>
                </button>
              </td>
              <td class="number">{formatNumber(numbers.visitors)}</td>
              <td class="number muted">
                {visitors === 0 ? '–' : formatPercent(Math.min(1, numbers.visitors / visitors))}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface WebCardProps {
  title: string;
  tabs: readonly string[];
  selected: string;
  onSelect(table: string): void;
  table: WebTable | undefined;
  visitors: number;
  state: WebState;
  /** Said where a tab has no known value. */
  hint?: string | undefined;
}

export function WebCard({ title, tabs, selected, onSelect, table, visitors, state, hint }: WebCardProps) {
  const [isOpen, setOpen] = useState(false);
  const isUnknown = table?.rows.every(([value]) => value === '(none)') ?? true;
  return (
    <section class="card stack-s web-card" aria-label={title}>
      <h2>{title}</h2>
      <Tabs
        label={title}
        tabs={tabs.map((id) => ({ id, label: TABLE_LABELS[id] ?? id }))}
        value={selected}
        onChange={onSelect}
      >
        {isUnknown && hint && <p class="muted small">{hint}</p>}
        {table === undefined || table.rows.length === 0 ? (
          <p class="muted small">No visitors in this date range.</p>
        ) : (
          <Rows table={selected} rows={table.rows} visitors={visitors} state={state} />
        )}
      </Tabs>
      {table?.more && (
        <div>
          <Button small onClick={() => setOpen(true)}>
            All {formatNumber(table.total)}
          </Button>
        </div>
      )}
      {isOpen && <BreakdownDialog table={selected} visitors={visitors} state={state} onClose={() => setOpen(false)} />}
    </section>
  );
}

type DialogProps = Pick<WebCardProps, 'visitors' | 'state'> & { table: string; onClose(): void };

function BreakdownDialog({ table, visitors, state, onClose }: DialogProps) {
  const { id } = useProject();
  const [search, setSearch] = useState('');
  const searched = useDebounced(search);
  const resource = useResource(
    (signal) => getBreakdown(id, state.fields, table, searched, signal),
    [id, JSON.stringify(state.fields), table, searched],
  );
  const label = TABLE_LABELS[table] ?? table;
  return (
    <Dialog title={label} side onClose={onClose}>
      <div class="row-end">
        <TextField label="Search" type="search" value={search} onInput={setSearch} />
        <CsvLink href={webCsvPath(id, state.fields, table)} name={`web-${table}.csv`} />
      </div>
      <Loaded resource={resource}>
        {({ rows }) => <Rows table={table} rows={rows} visitors={visitors} state={state} />}
      </Loaded>
    </Dialog>
  );
}
