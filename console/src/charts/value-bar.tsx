import type { Colour } from './chart-data.ts';
import { colourOf } from './rules/colours.ts';

interface ValueBarProps {
  /** Of the whole track, from 0 to 1. */
  share: number;
  colour: Colour;
  /** Shows the rest of the track, hatched. */
  hasTrack?: boolean;
  onPick?: (() => void) | undefined;
}

/** One horizontal bar. Keyboards and screen readers use the number beside it. */
export const ValueBar = ({ share, colour, hasTrack = false, onPick }: ValueBarProps) => (
  <div class={hasTrack ? 'value-track' : 'value-space'} aria-hidden="true" onClick={onPick}>
    {share > 0 && <div class="value-bar" style={{ '--share': Math.min(1, share), '--colour': colourOf(colour) }} />}
  </div>
);
