import { useContext, useEffect, useMemo, useRef } from 'preact/hooks';
import type { DashboardTile } from '../../api/dashboards.ts';
import { insightCsvPath } from '../../api/insights.ts';
import { ExportItems } from '../../charts/export-items.tsx';
import { Link } from '../../components/link.tsx';
import { ErrorNote, Skeleton } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { localDay } from '../../lib/local-dates.ts';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { ChartSubjectContext } from '../annotations/use-annotations.ts';
import { AnswerView } from '../insights/answer/answer-view.tsx';
import { personsLinks } from '../insights/answers.ts';
import { titleOf } from '../insights/labels.ts';
import { PersonsDrawer } from '../insights/persons/persons-drawer.tsx';
import { type Fields, finished, toFields } from '../insights/question.ts';
import { readQuestion, toSearch } from '../insights/read-question.ts';
import { useAnswer } from '../insights/use-answer.ts';
import { type TileControls, TileFrame } from './tile-frame.tsx';
import { withDates } from './with-dates.ts';

interface InsightTileProps extends TileControls {
  tile: Pick<DashboardTile, 'id'>;
  insight: NonNullable<DashboardTile['insight']>;
  /** Overrides the dates of the insight; empty if there is no override. */
  dates: Fields;
  /** Whether the dashboard changes the query of its insights at all. */
  isOverridden: boolean;
  /** Incremented to refresh. */
  round: number;
}

/** Each tile loads by itself, so that a slow or failing one does not affect the others. */
export function InsightTile({ tile, insight, dates, isOverridden, round, ...controls }: InsightTileProps) {
  const { id, timezone } = useProject();
  const [open, setOpen] = useQueryState('open', '', { isStep: true });
  const asked = useMemo(() => {
    return withDates(insight.filters as Fields, dates, localDay(timezone));
  }, [insight.filters, dates, timezone]);
  const question = useMemo(() => readQuestion(asked), [asked]);
  const { resource, refresh, missing } = useAnswer(id, question, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each round
  useEffect(() => {
    if (round > 0) refresh();
  }, [round]);
  const { dashboard } = useContext(ChartSubjectContext);
  const subject = useMemo(() => ({ insight: insight.id, dashboard }), [insight.id, dashboard]);
  const picture = useRef<HTMLDivElement>(null);
  const { data, loading, error } = resource;
  const title = insight.name || insight.derived_name || titleOf(question);
  const fields = toFields(finished(question));
  const own = pathTo('insight', { project: id, insight: insight.id }) ?? '/';
  const to = !isOverridden ? own : `${own}?${toSearch(asked)}`;
  const [openTile, openKey = ''] = open.split(':');
  const persons =
    data && openTile === String(tile.id) ? personsLinks(data.answer, data.question).get(openKey) : undefined;
  const menu = (
    <>
      <button type="button" onClick={refresh}>
        Refresh
      </button>
      <ExportItems
        name={title}
        csv={insightCsvPath(id, fields, title, toSearch(fields))}
        link={to}
        picture={() => picture.current}
      />
    </>
  );
  return (
    <TileFrame
      {...controls}
      title={title}
      heading={
        <Link to={to} title={title}>
          {title}
        </Link>
      }
      isBusy={loading}
      menu={menu}
    >
      {missing !== null && <p class="muted">{missing} Open the insight to edit it.</p>}
      {error !== undefined && <ErrorNote error={error} onRetry={refresh} />}
      {data === undefined && loading && <Skeleton lines={6} />}
      {data && (
        <>
          <div class="tile-answer" ref={picture}>
            <ChartSubjectContext.Provider value={subject}>
              <AnswerView
                small
                computedAt={data.response.last_refresh}
                question={data.question}
                answer={data.answer}
                onPick={(key) => setOpen(`${tile.id}:${key}`)}
              />
            </ChartSubjectContext.Provider>
          </div>
          <footer class="muted small">
            {loading ? (
              'Loading…'
            ) : (
              <>
                Updated <Time at={data.response.last_refresh} as="relative" />
              </>
            )}
          </footer>
        </>
      )}
      {persons && <PersonsDrawer persons={persons} onClose={() => setOpen('')} />}
    </TileFrame>
  );
}
