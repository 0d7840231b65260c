/** Statements one below the other, each with its rows, or one that is saved as an insight. */
import './sql-page.css';
import { useRef, useState } from 'preact/hooks';
import { getInsight, type SavedInsight } from '../../api/insights.ts';
import { getSqlSchema, type SqlSchema, sqlNode, statementOf } from '../../api/sql.ts';
import { Button } from '../../components/button.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Loaded, NotFound } from '../../components/states.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { SaveBar } from '../insights/save-bar.tsx';
import { quoteName } from './completion.ts';
import { displayName, readDisplay } from './sql-chart.ts';
import { type Cell, StatementCell } from './statement-cell.tsx';
import { addToHistory, readHistory } from './statement-history.ts';
import { readCells, writeCells } from './stored-cells.ts';

const EXAMPLES = [
  'select event, count() as total\nfrom events\ngroup by event\norder by total desc',
  `select toStartOfDay(timestamp) as day, uniq(person_id) as visitors\nfrom events\nwhere event = '$pageview'\ngroup by day\norder by day`,
  'select session_id, "$session_duration", "$pageview_count", "$entry_current_url"\nfrom sessions\norder by 2 desc\nlimit 20',
] as const;

export function Page() {
  const { id } = useProject();
  const [insight] = useQueryState('insight');
  const saved = useResource(insight === '' ? null : (signal) => getInsight(id, insight, signal), [id, insight]);
  if (insight === '') return <Editor key="new" saved={null} onSaved={() => undefined} />;
  if (saved.data) return <Editor key={insight} saved={saved.data} onSaved={saved.set} />;
  return (
    <PageFrame title="SQL">
      <Loaded
        resource={saved}
        notFound={
          <NotFound name="Insight" all={<Link to={pathTo('insights', { project: id }) ?? '/'}>All insights</Link>} />
        }
      >
        {() => null}
      </Loaded>
    </PageFrame>
  );
}

interface EditorProps {
  saved: SavedInsight | null;
  onSaved(insight: SavedInsight): void;
}

const cellOf = ({ query }: SavedInsight): Cell => ({
  id: 0,
  sql: statementOf(query) ?? '',
  display: readDisplay(query?.['display']),
});

function Editor({ saved, onSaved }: EditorProps) {
  const { id } = useProject();
  const [cells, setCells] = useState(() => (saved === null ? readCells(id, EXAMPLES[0]) : [cellOf(saved)]));
  const [history, setHistory] = useState(() => readHistory(id));
  const schema = useResource((signal) => getSqlSchema(id, signal), [id]);
  const insert = useRef<(text: string) => void>(() => undefined);
  const [active, setActive] = useState(cells[0]?.id ?? 0);
  const store = (next: Cell[]): void => {
    setCells(next);
    if (saved === null) writeCells(id, next);
  };
  const add = (): void => {
    const next = Math.max(...cells.map((cell) => cell.id)) + 1;
    store([...cells, { id: next, sql: '', display: null }]);
    setActive(next);
  };
  const current = cells.find((cell) => cell.id === active) ?? cells[0] ?? { sql: '', display: null };
  const query = sqlNode(current.sql, current.display && displayName(current.display), saved?.query ?? null);
  const title = saved?.name || saved?.derived_name || 'SQL';
  return (
    <PageFrame
      title={title}
      lead={
        saved?.description || (
          <>
            Ask anything about the events of this project. <Link to="/help/sql">Guide</Link>
          </>
        )
      }
      actions={
        <SaveBar
          saved={saved}
          question={{ query }}
          derived={nameFrom(current.sql)}
          isChanged={saved === null || JSON.stringify(query) !== JSON.stringify(saved.query)}
          canSave={current.sql.trim() !== ''}
          onSaved={onSaved}
        />
      }
    >
      <div class="sql-page">
        <div class="sql-work">
          {cells.map((cell) => (
            <StatementCell
              key={cell.id}
              cell={cell}
              projectId={id}
              schema={schema.data}
              examples={EXAMPLES}
              history={history}
              onChange={(change) => store(cells.map((one) => (one === cell ? { ...one, ...change } : one)))}
              onRan={(sql) => setHistory(addToHistory(id, sql))}
              onFocus={(into) => {
                insert.current = into;
                setActive(cell.id);
              }}
              onRemove={cells.length === 1 ? null : () => store(cells.filter((one) => one !== cell))}
            />
          ))}
          {saved === null && (
            <div>
              <Button onClick={add}>Add statement</Button>
            </div>
          )}
        </div>
        <aside class="sql-schema" aria-label="Tables">
          <h2>Tables</h2>
          <Loaded resource={schema}>
            {(found) => <Tables schema={found} onPick={(text) => insert.current(text)} />}
          </Loaded>
        </aside>
      </div>
    </PageFrame>
  );
}

/** The first words of the statement. */
const nameFrom = (sql: string): string => `SQL: ${sql.replaceAll(/\s+/g, ' ').trim().slice(0, 60)}`;

const Tables = ({ schema, onPick }: { schema: SqlSchema; onPick(text: string): void }) => (
  <>
    {schema.tables.map(({ name, description, columns }) => (
      <details key={name} open={name === 'events'}>
        <summary title={description}>{name}</summary>
        <ul>
          {columns.map((column) => (
            <li key={column.name}>
              <button type="button" title={column.description} onClick={() => onPick(quoteName(column.name))}>
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
