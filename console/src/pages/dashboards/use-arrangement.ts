/** The layout of a dashboard while it is changed: shown at once, and saved in the background. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DashboardChange, DashboardTile } from '../../api/dashboards.ts';
import { draggedPlace, type GridLines, readLines } from './grid-lines.ts';
import { type Arrow, changesTo, growTile, type Layout, layOut, placeTile, stepTile } from './layout.ts';
import type { HandleKind } from './tile-handle.tsx';

interface Arrangement {
  /** What is saved; the order of the elements follows it, as an element that is moved loses the pointer. */
  saved: Layout;
  shown: Layout;
  arrow(kind: HandleKind, id: number, arrow: Arrow): void;
  drag(kind: HandleKind, id: number, by: { x: number; y: number }, grid: HTMLElement): void;
  drop(): void;
}

/** `save` resolves to whether it succeeded. Changes that are made meanwhile are saved after it. */
export function useArrangement(
  tiles: readonly DashboardTile[],
  save: (changes: NonNullable<DashboardChange['tiles']>) => Promise<boolean>,
): Arrangement {
  const saved = useMemo(() => layOut(tiles), [tiles]);
  const [wanted, setWanted] = useState<Layout | null>(null);
  const [dragged, setDragged] = useState<Layout | null>(null);
  const [isSaving, setSaving] = useState(false);
  const start = useRef<{ layout: Layout; lines: GridLines } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `save` is new in each render
  useEffect(() => {
    if (wanted === null || isSaving) return;
    const changes = changesTo(tiles, wanted);
    // An effect runs after its render: a key may have been pressed in between.
    if (changes.length === 0) return setWanted((latest) => (latest === wanted ? null : latest));
    setSaving(true);
    void save(changes).then((isDone) => {
      if (!isDone) setWanted(null);
      setSaving(false);
    });
  }, [wanted, isSaving, tiles]);
  const shown = dragged ?? wanted ?? saved;
  return {
    saved,
    shown,
    arrow(kind, id, arrow) {
      const change = kind === 'move' ? stepTile : growTile;
      setWanted((latest) => change(latest ?? saved, id, arrow));
    },
    drag(kind, id, by, grid) {
      start.current ??= { layout: shown, lines: readLines(grid) };
      const { layout, lines } = start.current;
      const place = layout.get(id);
      if (place) setDragged(placeTile(layout, id, draggedPlace(lines, kind, place, by)));
    },
    drop() {
      start.current = null;
      if (dragged) setWanted(dragged);
      setDragged(null);
    },
  };
}
