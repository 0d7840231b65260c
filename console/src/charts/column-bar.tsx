import type { Colour } from './chart-data.ts';
import { colourOf } from './rules/colours.ts';

interface ColumnBarProps {
  /** Of the whole column, from 0 to 1. */
  share: number;
  colour: Colour;
  title: string;
  onPick?: (() => void) | undefined;
  /** Picks the rest of the column, which is hatched. */
  onPickRest?: (() => void) | undefined;
}

/** One vertical bar. Keyboards and screen readers use the numbers beside it. */
export const ColumnBar = ({ share, colour, title, onPick, onPickRest }: ColumnBarProps) => (
  <div class="column-bar" aria-hidden="true" title={title}>
    <div class="column-rest" aria-hidden="true" onClick={onPickRest} />
    {share > 0 && (
      <div
        class="column-part"
        aria-hidden="true"
        style={{ '--share': Math.min(1, share), '--colour': colourOf(colour) }}
        onClick={onPick}
      />
    )}
  </div>
);
