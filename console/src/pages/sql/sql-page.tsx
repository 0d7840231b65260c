import './sql-page.css';
import { useRef, useState } from 'preact/hooks';
import { ApiError, isAbort } from '../../api/api-error.ts';
import { getSqlSchema, runSql, type SqlAnswer, type SqlSchema, sqlBody } from '../../api/sql.ts';
import { Button } from '../../components/button.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, ErrorNote, Loaded, Skeleton } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { saveFile } from '../../lib/save-file.ts';
import { useProject } from '../../lib/session.ts';
import { readStored, writeStored } from '../../lib/stored.ts';
import { useResource } from '../../lib/use-resource.ts';
import { addToHistory, readHistory } from './statement-history.ts';

const EXAMPLES = [
  { title: 'Events by name', sql: 'select event, count() as total\nfrom events\ngroup by event\norder by total desc' },
  {
    title: 'Visitors by day',
    sql: `select toStartOfDay(timestamp) as day, uniq(person_id) as visitors\nfrom events\nwhere event = '$pageview'\ngroup by day\norder by day`,
  },
  {
    title: 'Longest sessions',
    sql: 'select session_id, "$session_duration", "$pageview_count", "$entry_current_url"\nfrom sessions\norder by 2 desc\nlimit 20',
  },
] as const;

/** Rows of one page of the table. */
const SHOWN_ROWS = 100;

type State =
  | { kind: 'empty' }
  | { kind: 'running' }
  | { kind: 'failed'; error: unknown }
  | { kind: 'done'; answer: SqlAnswer; sql: string; seconds: number };

export function Page() {
  const { id } = useProject();
  const draftKey = `cairn.sql.${id}`;
  const [sql, setSql] = useState(() => readStored(draftKey) ?? EXAMPLES[0].sql);
  const [state, setState] = useState<State>({ kind: 'empty' });
  const [history, setHistory] = useState(() => readHistory(id));
  const running = useRef<AbortController | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const schema = useResource((signal) => getSqlSchema(id, signal), [id]);

  const change = (text: string): void => {
    setSql(text);
    writeStored(draftKey, text);
  };
  const run = async (): Promise<void> => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setState({ kind: 'running' });
    const start = performance.now();
    try {
      const answer = await runSql(id, sql, controller.signal);
      setState({ kind: 'done', answer, sql, seconds: (performance.now() - start) / 1000 });
      setHistory(addToHistory(id, sql));
    } catch (error) {
      setState(isAbort(error) ? { kind: 'empty' } : { kind: 'failed', error });
    }
  };
  /** Replaces what is selected. */
  const insert = (text: string): void => {
    const { selectionStart: from = sql.length, selectionEnd: to = sql.length } = field.current ?? {};
    change(sql.slice(0, from) + text + sql.slice(to));
    field.current?.focus();
  };

  return (
    <PageFrame
      title="SQL"
      lead={
        <>
          Ask anything about the events of this project. <Link to="/help/sql">Guide</Link>
        </>
      }
    >
      <div class="sql-page">
        <section class="sql-work">
          <textarea
            ref={field}
            class="sql-text"
            aria-label="SQL statement"
            spellcheck={false}
            rows={Math.min(20, Math.max(6, sql.split('\n').length + 1))}
            value={sql}
            onInput={(event) => change(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              void run();
            }}
          />
          <div class="row sql-actions">
            {state.kind === 'running' ? (
              <Button onClick={() => running.current?.abort()}>Cancel</Button>
            ) : (
              <Button kind="primary" disabled={sql.trim() === ''} onClick={() => void run()}>
                Run
              </Button>
            )}
            <span class="hint">Ctrl + Enter</span>
            <StatementMenu label="Examples" statements={EXAMPLES.map(({ sql: text }) => text)} onPick={change} />
            {history.length > 0 && <StatementMenu label="History" statements={history} onPick={change} />}
          </div>
          <Outcome state={state} projectId={id} />
        </section>
        <aside class="sql-schema" aria-label="Tables">
          <h2>Tables</h2>
          <Loaded resource={schema}>{(found) => <Tables schema={found} onPick={insert} />}</Loaded>
        </aside>
      </div>
    </PageFrame>
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

function Outcome({ state, projectId }: { state: State; projectId: number }) {
  switch (state.kind) {
    case 'running':
      return <Skeleton />;
    case 'failed':
      return <ErrorNote error={state.error} />;
    case 'done':
      return <Answer answer={state.answer} sql={state.sql} seconds={state.seconds} projectId={projectId} />;
    default:
      return (
        <Empty title="No rows yet">
          Run the statement to see its rows here. Click a table or a column to add its name to the statement.
        </Empty>
      );
  }
}

type Row = { at: number; cells: readonly unknown[] };

function Answer({
  answer,
  sql,
  seconds,
  projectId,
}: {
  answer: SqlAnswer;
  sql: string;
  seconds: number;
  projectId: number;
}) {
  const [offset, setOffset] = useState(0);
  const [failure, setFailure] = useState<unknown>(null);
  const { columns, types, results, hasMore, limit } = answer;
  const isNumber = columns.map((_, at) => /Int|Float|Decimal/.test(types[at]?.[1] ?? ''));
  const shown: Column<Row>[] = columns.map((name, at) => ({
    id: `${at} ${name}`,
    title: name,
    isNumber: isNumber[at] === true,
    cell: ({ cells }) => cellOf(cells[at]),
  }));
  const rows = results.slice(offset, offset + SHOWN_ROWS).map((cells, at): Row => ({ at: offset + at, cells }));
  const save = async (): Promise<void> => {
    try {
      setFailure(null);
      await saveRows(projectId, sql);
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <>
      <div class="row sql-facts">
        <span role="status">
          {formatNumber(results.length)} {results.length === 1 ? 'row' : 'rows'} in {seconds.toFixed(2)} s
          {hasMore && `; there are more than ${formatNumber(limit)}, raise the limit to see them`}
        </span>
        <Button small onClick={() => void save()}>
          Export CSV
        </Button>
      </div>
      {failure !== null && <ErrorNote error={failure} />}
      <Table
        label="Rows"
        columns={shown}
        rows={rows}
        rowKey={({ at }) => at}
        empty={<Empty title="No rows">The statement is right, but nothing matches it.</Empty>}
      />
      <Pager offset={offset} limit={SHOWN_ROWS} count={results.length} onChange={setOffset} />
    </>
  );
}

const cellOf = (value: unknown) =>
  value === null ? (
    <span class="sql-null">null</span>
  ) : typeof value === 'object' ? (
    JSON.stringify(value)
  ) : (
    String(value)
  );

/** As a file the statement may have more rows than on the page. */
async function saveRows(projectId: number, sql: string): Promise<void> {
  const response = await fetch(`/api/projects/${projectId}/query.csv`, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sqlBody(sql)),
  });
  if (!response.ok) {
    const { detail } = (await response.json().catch(() => ({}))) as { detail?: string };
    throw new ApiError(detail ?? `The server responded with status ${response.status}.`, { status: response.status });
  }
  saveFile(await response.blob(), 'query.csv');
}

const quoted = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name}"`);

const Tables = ({ schema, onPick }: { schema: SqlSchema; onPick(text: string): void }) => (
  <>
    {schema.tables.map(({ name, description, columns }) => (
      <details key={name} open={name === 'events'}>
        <summary title={description}>{name}</summary>
        <ul>
          {columns.map((column) => (
            <li key={column.name}>
              <button type="button" title={column.description} onClick={() => onPick(quoted(column.name))}>
                {column.name}
              </button>
              <span>{column.type.replace(/^Nullable\((.*)\)$/, '$1').replace(/\(.*/, '')}</span>
            </li>
          ))}
        </ul>
      </details>
    ))}
  </>
);
