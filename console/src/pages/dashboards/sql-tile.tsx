import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { DashboardTile } from '../../api/dashboards.ts';
import { runSqlNode, withSqlDates } from '../../api/sql.ts';
import { Link } from '../../components/link.tsx';
import { ErrorNote, Skeleton } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { toastError } from '../../components/toast.tsx';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { pathOfInsight } from '../insights/path-of-insight.ts';
import type { Fields } from '../insights/question.ts';
import { saveRows } from '../sql/save-rows.ts';
import { SqlAnswer } from '../sql/sql-answer.tsx';
import { readDisplay } from '../sql/sql-chart.ts';
import { type TileControls, TileFrame } from './tile-frame.tsx';

interface SqlTileProps extends TileControls {
  insight: NonNullable<DashboardTile['insight']>;
  query: Record<string, unknown>;
  /** Stand for the dates in `{filters}`; empty if there is no override. */
  dates: Fields;
  /** Incremented to refresh. */
  round: number;
}

const FORMATS = [
  { format: 'csv', label: 'Export CSV' },
  { format: 'parquet', label: 'Export Parquet' },
] as const;

export function SqlTile({ insight, query, dates, round, ...controls }: SqlTileProps) {
  const { id } = useProject();
  const node = useMemo(() => withSqlDates(query, dates), [query, dates]);
  const skipsCache = useRef(false);
  const resource = useResource(
    async (signal) => {
      const refresh = skipsCache.current;
      skipsCache.current = false;
      return { answer: await runSqlNode(id, node, { signal, refresh }), at: Date.now() };
    },
    [id, JSON.stringify(node)],
  );
  const { data, loading, error, reload } = resource;
  const refresh = (): void => {
    skipsCache.current = true;
    reload();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each round
  useEffect(() => {
    if (round > 0) refresh();
  }, [round]);
  const title = insight.name || insight.derived_name || 'SQL';
  const save = (format: 'csv' | 'parquet'): void => {
    saveRows(id, node, { name: title, format }).catch(toastError);
  };
  return (
    <TileFrame
      {...controls}
      title={title}
      heading={
        <Link to={pathOfInsight(id, insight)} title={title}>
          {title}
        </Link>
      }
      isBusy={loading}
      menu={
        <>
          <button type="button" onClick={refresh}>
            Refresh
          </button>
          {FORMATS.map(({ format, label }) => (
            <button type="button" key={format} onClick={() => save(format)}>
              {label}
            </button>
          ))}
        </>
      }
    >
      {error !== undefined && <ErrorNote error={error} onRetry={refresh} />}
      {data === undefined && loading && <Skeleton lines={6} />}
      {data && (
        <>
          <div class="tile-answer">
            <SqlAnswer small rows={data.answer} display={readDisplay(query['display'])} label={title} />
          </div>
          <footer class="muted small">
            {loading ? (
              'Loading…'
            ) : (
              <>
                Updated <Time at={data.at} as="relative" />
              </>
            )}
          </footer>
        </>
      )}
    </TileFrame>
  );
}
