import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DashboardTile } from '../../api/dashboards.ts';
import { insightCsvPath } from '../../api/insights.ts';
import { ExportItems } from '../../charts/export-items.tsx';
import { Link } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { ErrorNote, Skeleton } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { classes } from '../../lib/classes.ts';
import { localDay } from '../../lib/local-dates.ts';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { AnswerView } from '../insights/answer/answer-view.tsx';
import { personsLinks } from '../insights/answers.ts';
import { titleOf } from '../insights/labels.ts';
import { PersonsDrawer } from '../insights/persons/persons-drawer.tsx';
import { type Fields, finished, toFields } from '../insights/question.ts';
import { readQuestion, toSearch } from '../insights/read-question.ts';
import { useAnswer } from '../insights/use-answer.ts';
import { MoveHandle, ResizeHandle } from './tile-handles.tsx';
import { sizeOf, type TileSize } from './tiles.ts';
import { withDates } from './with-dates.ts';

/** Columns up to which two tiles are beside each other on medium screens. */
const HALF = 4;

interface TileProps {
  tile: DashboardTile;
  /** Overrides the dates of the insight; empty if there is no override. */
  dates: Fields;
  /** Whether the dashboard changes the query of its insights at all. */
  isOverridden: boolean;
  /** Incremented to refresh. */
  round: number;
  /** By how many places. */
  onMove(by: number): void;
  onResize(size: TileSize): void;
  onRemove(): void;
}

/** Each tile loads by itself, so that a slow or failing one does not affect the others. */
export function Tile(props: TileProps) {
  const { tile, dates, isOverridden, round, onMove, onResize, onRemove } = props;
  const { id, timezone } = useProject();
  const { insight } = tile;
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
  const picture = useRef<HTMLDivElement>(null);
  const { data, loading, error } = resource;
  const title = insight.name || insight.derived_name || titleOf(question);
  const fields = toFields(finished(question));
  const own = pathTo('insight', { project: id, insight: insight.id }) ?? '/';
  const to = !isOverridden ? own : `${own}?${toSearch(asked)}`;
  const [openTile, openKey = ''] = open.split(':');
  const persons =
    data && openTile === String(tile.id) ? personsLinks(data.answer, data.question).get(openKey) : undefined;
  const [preview, setPreview] = useState<TileSize | null>(null);
  const size = sizeOf(tile);
  const { w, h } = preview ?? size;
  return (
    <li class={classes('tile card', w <= HALF && 'narrow')} style={{ '--columns': w, '--rows': h }} aria-busy={loading}>
      <header>
        <MoveHandle title={title} onMove={onMove} />
        <h2>
          <Link to={to}>{title}</Link>
        </h2>
        <TileMenu title={title} onRemove={onRemove} onRefresh={refresh}>
          <ExportItems
            name={title}
            csv={insightCsvPath(id, fields, title, toSearch(fields))}
            link={to}
            picture={() => picture.current}
          />
        </TileMenu>
      </header>
      {missing !== null && <p class="muted">{missing} Open the insight to edit it.</p>}
      {error !== undefined && <ErrorNote error={error} onRetry={refresh} />}
      {data === undefined && loading && <Skeleton lines={6} />}
      {data && (
        <>
          <div class="tile-answer" ref={picture}>
            <AnswerView
              small
              computedAt={data.response.last_refresh}
              question={data.question}
              answer={data.answer}
              onPick={(key) => setOpen(`${tile.id}:${key}`)}
            />
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
      <ResizeHandle title={title} size={size} onPreview={setPreview} onResize={onResize} />
      {persons && <PersonsDrawer persons={persons} onClose={() => setOpen('')} />}
    </li>
  );
}

interface MenuProps {
  title: string;
  onRemove(): void;
  onRefresh(): void;
  children: ComponentChildren;
}

function TileMenu({ title, onRemove, onRefresh, children }: MenuProps) {
  return (
    <Menu label={<span class="visually-hidden">{`Actions for ${title}`}</span>}>
      <button type="button" onClick={onRefresh}>
        Refresh
      </button>
      {children}
      <button type="button" onClick={onRemove}>
        Remove from dashboard
      </button>
    </Menu>
  );
}
