/** Moves or resizes a tile, with the mouse, a finger, or the arrow keys. */
import type { TargetedPointerEvent } from 'preact';
import { useRef } from 'preact/hooks';
import type { Arrow } from './layout.ts';

export type HandleKind = 'move' | 'resize';

interface TileHandleProps {
  kind: HandleKind;
  /** Of the tile. */
  title: string;
  onArrow(arrow: Arrow): void;
  /** By how many pixels since the start. */
  onDrag(by: { x: number; y: number }): void;
  /** Also when the drag is broken off. */
  onDrop(): void;
}

const LABELS: Record<HandleKind, string> = { move: 'Move', resize: 'Resize' };

/** Pointer events rather than drag and drop of HTML, which has no touch, and no buttons in Firefox. */
export function TileHandle({ kind, title, onArrow, onDrag, onDrop }: TileHandleProps) {
  const start = useRef<{ x: number; y: number } | null>(null);
  const end = (): void => {
    if (start.current !== null) onDrop();
    start.current = null;
  };
  return (
    <button
      type="button"
      class={`tile-handle ${kind}`}
      aria-label={`${LABELS[kind]} ${title}: drag, or use the arrow keys`}
      title={`Drag to ${kind}, or use the arrow keys`}
      onKeyDown={(event) => {
        if (!event.key.startsWith('Arrow')) return;
        event.preventDefault();
        onArrow(event.key as Arrow);
      }}
      onPointerDown={(event: TargetedPointerEvent<HTMLButtonElement>) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, y: event.clientY };
      }}
      onPointerMove={({ clientX, clientY }) => {
        const { current } = start;
        if (current) onDrag({ x: clientX - current.x, y: clientY - current.y });
      }}
      onPointerUp={end}
      onPointerCancel={end}
    />
  );
}
