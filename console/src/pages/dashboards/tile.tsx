import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
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
import { isWide, type TileMove } from './tiles.ts';
import { withDates } from './with-dates.ts';

interface TileProps {
  tile: DashboardTile;
  /** Overrides the dates of the insight; empty if there is no override. */
  dates: Fields;
  /** Incremented to refresh. */
  round: number;
  place: { isFirst: boolean; isLast: boolean };
  onMove(how: TileMove): void;
}

/** Each tile loads by itself, so that a slow or failing one does not affect the others. */
export function Tile({ tile, dates, round, place, onMove }: TileProps) {
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
  const to = Object.keys(dates).length === 0 ? own : `${own}?${toSearch(asked)}`;
  const [openTile, openKey = ''] = open.split(':');
  const persons =
    data && openTile === String(tile.id) ? personsLinks(data.answer, data.question).get(openKey) : undefined;
  return (
    <li class={classes('tile card', isWide(tile) && 'wide')} aria-busy={loading}>
      <header>
        <h2>
          <Link to={to}>{title}</Link>
        </h2>
        <TileMenu title={title} tile={tile} place={place} onMove={onMove} onRefresh={refresh}>
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
      {persons && <PersonsDrawer persons={persons} onClose={() => setOpen('')} />}
    </li>
  );
}

type MenuProps = Pick<TileProps, 'tile' | 'place' | 'onMove'> & {
  title: string;
  onRefresh(): void;
  children: ComponentChildren;
};

function TileMenu({ title, tile, place, onMove, onRefresh, children }: MenuProps) {
  return (
    <Menu label={<span class="visually-hidden">{`Actions for ${title}`}</span>}>
      <button type="button" onClick={onRefresh}>
        Refresh
      </button>
      {children}
      {!place.isFirst && (
        <button type="button" onClick={() => onMove('earlier')}>
          Move up
        </button>
      )}
      {!place.isLast && (
        <button type="button" onClick={() => onMove('later')}>
          Move down
        </button>
      )}
      <button type="button" onClick={() => onMove(isWide(tile) ? 'narrower' : 'wider')}>
        {isWide(tile) ? 'Half width' : 'Full width'}
      </button>
      <button type="button" onClick={() => onMove('remove')}>
        Remove from dashboard
      </button>
    </Menu>
  );
}
