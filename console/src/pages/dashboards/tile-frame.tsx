/** What all tiles have: a place on the grid, handles, a title and a menu. */
import type { ComponentChildren } from 'preact';
import { Menu } from '../../components/menu.tsx';
import { classes } from '../../lib/classes.ts';
import type { Arrow, Place } from './layout.ts';
import { type HandleKind, TileHandle } from './tile-handle.tsx';

export interface TileControls {
  place: Place;
  onArrow(kind: HandleKind, arrow: Arrow): void;
  onDrag(kind: HandleKind, by: { x: number; y: number }): void;
  onDrop(): void;
  onRemove(): void;
}

interface TileFrameProps extends TileControls {
  title: string;
  /** Absent: the content begins with one. */
  heading?: ComponentChildren;
  isBusy?: boolean;
  menu: ComponentChildren;
  children: ComponentChildren;
}

/** Up to this width, two tiles are beside each other on medium screens. */
const NARROW_COLUMNS = 4;

export function TileFrame(props: TileFrameProps) {
  const { title, heading, place, isBusy = false, menu, children, onArrow, onDrag, onDrop, onRemove } = props;
  const { x, y, w, h } = place;
  const handle = (kind: HandleKind) => (
    <TileHandle
      kind={kind}
      title={title}
      onArrow={(arrow) => onArrow(kind, arrow)}
      onDrag={(by) => onDrag(kind, by)}
      onDrop={onDrop}
    />
  );
  return (
    <li
      class={classes('tile card', w <= NARROW_COLUMNS && 'narrow', heading === undefined && 'text')}
      style={{ '--x': x + 1, '--y': y + 1, '--columns': w, '--rows': h }}
      aria-busy={isBusy}
    >
      <header>
        {handle('move')}
        {heading === undefined ? <span /> : <h2>{heading}</h2>}
        <Menu label={<span class="visually-hidden">{`Actions for ${title}`}</span>}>
          {menu}
          <button type="button" onClick={onRemove}>
            Remove from dashboard
          </button>
        </Menu>
      </header>
      {children}
      {handle('resize')}
    </li>
  );
}
