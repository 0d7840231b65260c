/** One statement of the page, with its own rows. */
import { useRef, useState } from 'preact/hooks';
import { isAbort } from '../../api/api-error.ts';
import { type SqlAnswer as Answer, runSql, type SqlSchema, sqlBody } from '../../api/sql.ts';
import { Button } from '../../components/button.tsx';
import { Select } from '../../components/field.tsx';
import { Empty, ErrorNote, Skeleton } from '../../components/states.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { saveRows } from './save-rows.ts';
import { SqlAnswer } from './sql-answer.tsx';
import { chooseDisplay, type Display, possibleDisplays } from './sql-chart.ts';
import { StatementField } from './statement-field.tsx';
import { VirtualTable } from './virtual-table.tsx';

type State =
  | { kind: 'empty' }
  | { kind: 'running' }
  | { kind: 'failed'; error: unknown }
  | { kind: 'done'; answer: Answer; sql: string; seconds: number };

export interface Cell {
  id: number;
  sql: string;
  display: Display | null;
}

interface StatementCellProps {
  cell: Cell;
  projectId: number;
  schema: SqlSchema | undefined;
  examples: readonly string[];
  history: readonly string[];
  onChange(change: Partial<Cell>): void;
  onRan(sql: string): void;
  onFocus(insert: (text: string) => void): void;
  /** Null: it is the only one. */
  onRemove: (() => void) | null;
}

export function StatementCell(props: StatementCellProps) {
  const { cell, projectId, schema, examples, history, onChange, onRan, onFocus, onRemove } = props;
  const { sql, display } = cell;
  const [state, setState] = useState<State>({ kind: 'empty' });
  const running = useRef<AbortController | null>(null);
  const run = async (): Promise<void> => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setState({ kind: 'running' });
    const start = performance.now();
    try {
      const answer = await runSql(projectId, sql, controller.signal);
      setState({ kind: 'done', answer, sql, seconds: (performance.now() - start) / 1000 });
      onRan(sql);
    } catch (error) {
      setState(isAbort(error) ? { kind: 'empty' } : { kind: 'failed', error });
    }
  };
  const change = (text: string): void => onChange({ sql: text });
  return (
    <section class="sql-cell" aria-label="Statement">
      <StatementField value={sql} schema={schema} onChange={change} onRun={() => void run()} onFocus={onFocus} />
      <div class="row sql-actions">
        {state.kind === 'running' ? (
          <Button onClick={() => running.current?.abort()}>Cancel</Button>
        ) : (
          <Button kind="primary" disabled={sql.trim() === ''} onClick={() => void run()}>
            Run
          </Button>
        )}
        <span class="hint">Ctrl + Enter</span>
        <StatementMenu label="Examples" statements={examples} onPick={change} />
        {history.length > 0 && <StatementMenu label="History" statements={history} onPick={change} />}
        {onRemove !== null && (
          <Button small onClick={onRemove}>
            Remove
          </Button>
        )}
      </div>
      <Outcome
        state={state}
        display={display}
        projectId={projectId}
        onDisplay={(next) => onChange({ display: next })}
      />
    </section>
  );
}

interface StatementMenuProps {
  label: string;
  statements: readonly string[];
  onPick(sql: string): void;
}

const StatementMenu = ({ label, statements, onPick }: StatementMenuProps) => (
  <label class="sql-choice">
    <span class="visually-hidden">{label}</span>
    <select
      value=""
      onChange={(event) => {
        const chosen = statements[Number(event.currentTarget.value)];
        event.currentTarget.value = '';
        if (chosen !== undefined) onPick(chosen);
      }}
    >
      <option value="">{label}</option>
      {statements.map((text, at) => (
        <option key={text} value={at}>
          {text.replaceAll(/\s+/g, ' ').slice(0, 60)}
        </option>
      ))}
    </select>
  </label>
);

interface OutcomeProps {
  state: State;
  display: Display | null;
  projectId: number;
  onDisplay(display: Display): void;
}

function Outcome({ state, ...rest }: OutcomeProps) {
  switch (state.kind) {
    case 'running':
      return <Skeleton />;
    case 'failed':
      return <ErrorNote error={state.error} />;
    case 'done':
      return <Rows {...state} {...rest} />;
    default:
      return (
        <Empty title="No rows yet">
          Run the statement to see its rows here. Click a table or a column to add its name to the statement.
        </Empty>
      );
  }
}

const LABELS: Readonly<Record<Display, string>> = {
  table: 'Table',
  line: 'Line chart',
  bar: 'Bar chart',
  number: 'Number',
};

interface RowsProps extends Omit<OutcomeProps, 'state'> {
  answer: Answer;
  sql: string;
  seconds: number;
}

function Rows({ answer, sql, seconds, display, projectId, onDisplay }: RowsProps) {
  const [failure, setFailure] = useState<unknown>(null);
  const { results, hasMore, limit, warnings } = answer;
  const canRaiseLimit = hasMore && !warnings.some(({ code }) => code === 'rows_left_out');
  const possible = possibleDisplays(answer);
  const shown = display !== null && possible.includes(display) ? display : chooseDisplay(answer);
  const save = async (format: 'csv' | 'parquet'): Promise<void> => {
    try {
      setFailure(null);
      await saveRows(projectId, sqlBody(sql).query, { name: 'query', format });
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <>
      <div class="row sql-facts">
        <span role="status">
          {formatNumber(results.length)} {results.length === 1 ? 'row' : 'rows'} in {seconds.toFixed(2)} s
          {canRaiseLimit && `; there are more than ${formatNumber(limit)}, raise the limit to see them`}
        </span>
        <div class="row">
          {possible.length > 1 && (
            <Select
              label="Show as"
              hideLabel
              value={shown}
              options={possible.map((value) => ({ value, label: LABELS[value] }))}
              onChange={(value) => onDisplay(value as Display)}
            />
          )}
          <Button small onClick={() => void save('csv')}>
            Export CSV
          </Button>
          <Button small onClick={() => void save('parquet')}>
            Export Parquet
          </Button>
        </div>
      </div>
      {failure !== null && <ErrorNote error={failure} />}
      <SqlAnswer rows={answer} display={shown} label={`Chart of ${answer.columns.join(', ')}`} />
      {shown !== 'table' && results.length > 0 && <VirtualTable rows={answer} />}
    </>
  );
}
