/** The tiles of a dashboard on twelve columns, where people put them. */
import { useRef } from 'preact/hooks';
import type { Dashboard, DashboardChange, DashboardTile } from '../../api/dashboards.ts';
import type { Fields } from '../insights/question.ts';
import { InsightTile } from './insight-tile.tsx';
import { inReadingOrder, rowsOf } from './layout.ts';
import { SqlTile } from './sql-tile.tsx';
import { TextTile } from './text-tile.tsx';
import { useArrangement } from './use-arrangement.ts';

type TileChanges = NonNullable<DashboardChange['tiles']>;

interface TilesProps {
  dashboard: Dashboard;
  dates: Fields;
  round: number;
  /** Resolves to whether it succeeded. */
  onArrange(tiles: TileChanges): Promise<boolean>;
  /** Rejects if it fails. */
  onChange(tiles: TileChanges): Promise<unknown>;
  onRemove(tile: DashboardTile): void;
}

export function Tiles({ dashboard: { tiles, filters }, dates, round, onArrange, onChange, onRemove }: TilesProps) {
  const { saved, shown, arrow, drag, drop } = useArrangement(tiles, onArrange);
  const grid = useRef<HTMLUListElement>(null);
  const isOverridden = Object.keys(dates).length + Object.keys(filters).length > 0;
  return (
    <ul class="tiles" ref={grid} style={{ '--all-rows': rowsOf(shown) }}>
      {inReadingOrder(tiles, saved).map((tile) => {
        const { id, insight, text } = tile;
        const place = shown.get(id);
        if (place === undefined) return null;
        const controls = {
          place,
          onArrow: (kind, key) => arrow(kind, id, key),
          onDrag: (kind, by) => grid.current && drag(kind, id, by, grid.current),
          onDrop: drop,
          onRemove: () => onRemove(tile),
        } satisfies Partial<Parameters<typeof TextTile>[0]>;
        if (insight === null) {
          const save = (body: string) => onChange([{ id, text: { body } }]);
          return <TextTile key={id} {...controls} body={text?.body ?? ''} onSave={save} />;
        }
        if (insight.query !== null) {
          return <SqlTile key={id} {...controls} {...{ insight, query: insight.query, dates, round }} />;
        }
        return <InsightTile key={id} {...controls} {...{ tile, insight, dates, isOverridden, round }} />;
      })}
    </ul>
  );
}
