import { useState } from 'preact/hooks';
import { CsvLink } from '../../components/csv-link.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useResource } from '../../lib/use-resource.ts';
import { useSiteSource } from './site-source.ts';
import { Rows } from './web-rows.tsx';
import { TABLE_LABELS, type WebState } from './web-state.ts';

interface BreakdownDialogProps {
  table: string;
  visitors: number;
  state: WebState;
  onClose(): void;
}

/** Every value of a table, with all of its numbers. */
export function BreakdownDialog({ table, visitors, state, onClose }: BreakdownDialogProps) {
  const source = useSiteSource();
  const [search, setSearch] = useState('');
  const searched = useDebounced(search);
  const resource = useResource(
    (signal) => source.breakdown(state.fields, { by: table, search: searched }, signal),
    [source, JSON.stringify(state.fields), table, searched],
  );
  return (
    <Dialog title={TABLE_LABELS[table] ?? table} side onClose={onClose}>
      <div class="row-end">
        <TextField label="Search" type="search" value={search} onInput={setSearch} />
        <CsvLink href={source.csvPath(state.fields, table)} name={`web-${table}.csv`} />
      </div>
      <Loaded resource={resource}>
        {({ rows, total }) =>
          rows.length === 0 ? (
            <Empty title="Nothing found">Try another search or a longer date range.</Empty>
          ) : (
            <>
              <Rows table={table} rows={rows} visitors={visitors} state={state} isDetailed />
              {total > rows.length && (
                <p class="small muted">
                  The first {formatNumber(rows.length)} of {formatNumber(total)}. Search to find others.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </Dialog>
  );
}
