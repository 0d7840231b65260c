import type { Colour } from './chart-data.ts';
import { colourOf } from './rules/colours.ts';

/** The colour of a series beside its name. */
export const Swatch = ({ colour }: { colour: Colour }) => (
  <span class="swatch" style={{ '--colour': colourOf(colour) }} aria-hidden="true" />
);
