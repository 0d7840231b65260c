/** Moves and resizes a tile, with the mouse and with arrow keys. */
import type { TargetedKeyboardEvent, TargetedPointerEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { COLUMNS, fitSize, type TileSize } from './tiles.ts';

interface MoveHandleProps {
  title: string;
  /** By how many places, in the order of the tiles. */
  onMove(by: number): void;
}

const MOVES: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/** Pointer events rather than drag and drop of HTML, which has no touch, and no buttons in Firefox. */
export function MoveHandle({ title, onMove }: MoveHandleProps) {
  const start = useRef<{ x: number; y: number; tile: HTMLElement } | null>(null);
  const finish = (event: TargetedPointerEvent<HTMLButtonElement>): void => {
    const tile = start.current?.tile;
    start.current = null;
    if (!tile) return;
    tile.style.translate = '';
    const tiles = [...(tile.parentElement?.children ?? [])];
    const target = tiles.find((one) => one !== tile && isInside(one, event));
    if (target) onMove(tiles.indexOf(target) - tiles.indexOf(tile));
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLButtonElement>): void => {
    const by = MOVES[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onMove(by);
  };
  return (
    <button
      type="button"
      class="tile-handle move"
      aria-label={`Move ${title}: drag, or use the arrow keys`}
      title="Drag to move, or use the arrow keys"
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        const tile = event.currentTarget.closest('li');
        if (!tile) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, y: event.clientY, tile };
      }}
      onPointerMove={(event) => {
        const { current } = start;
        if (current) current.tile.style.translate = `${event.clientX - current.x}px ${event.clientY - current.y}px`;
      }}
      onPointerUp={finish}
      onPointerCancel={finish}
    />
  );
}

function isInside(element: Element, { clientX, clientY }: PointerEvent): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return clientX >= left && clientX < right && clientY >= top && clientY < bottom;
}

interface ResizeHandleProps {
  title: string;
  size: TileSize;
  /** While it is dragged. */
  onPreview(size: TileSize | null): void;
  onResize(size: TileSize): void;
}

const RESIZES: Record<string, TileSize> = {
  ArrowLeft: { w: -1, h: 0 },
  ArrowRight: { w: 1, h: 0 },
  ArrowUp: { w: 0, h: -1 },
  ArrowDown: { w: 0, h: 1 },
};
/** As in dashboard.css. */
const ROW_PX = 64;

export function ResizeHandle({ title, size, onPreview, onResize }: ResizeHandleProps) {
  const drag = useRef<{ x: number; y: number; height: number; column: number } | null>(null);
  const sizeAt = (event: PointerEvent): TileSize => {
    const { x, y, height, column } = drag.current ?? { x: 0, y: 0, height: 0, column: 1 };
    return fitSize({ w: size.w + (event.clientX - x) / column, h: (height + event.clientY - y) / ROW_PX });
  };
  const start = (event: TargetedPointerEvent<HTMLButtonElement>): void => {
    const tile = event.currentTarget.closest('li');
    if (!tile) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const column = (tile.parentElement?.clientWidth ?? 0) / COLUMNS;
    drag.current = { x: event.clientX, y: event.clientY, height: tile.clientHeight, column };
  };
  const end = (event: TargetedPointerEvent<HTMLButtonElement>): void => {
    if (drag.current === null) return;
    const next = sizeAt(event);
    drag.current = null;
    onPreview(null);
    onResize(next);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLButtonElement>): void => {
    const by = RESIZES[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onResize(fitSize({ w: size.w + by.w, h: size.h + by.h }));
  };
  return (
    <button
      type="button"
      class="tile-handle resize"
      aria-label={`Resize ${title}: drag, or use the arrow keys`}
      title="Drag to resize, or use the arrow keys"
      onKeyDown={onKeyDown}
      onPointerDown={start}
      onPointerMove={(event) => drag.current && onPreview(sizeAt(event))}
      onPointerUp={end}
      onPointerCancel={() => {
        drag.current = null;
        onPreview(null);
      }}
    />
  );
}
