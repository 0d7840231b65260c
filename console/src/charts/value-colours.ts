/** Remembers the colours of values while the console is open, so that they do not change from chart to chart. */
import type { Colour } from './chart-data.ts';
import { assignColours } from './rules/colours.ts';

/** Enough for every chart of a long visit. */
const MAX_KNOWN = 5000;

const known = new Map<string, number>();

export function coloursFor(values: readonly string[]): Colour[] {
  const colours = assignColours(values, known);
  for (const [index, value] of values.entries()) {
    const colour = colours[index];
    if (typeof colour === 'number' && !known.has(value) && known.size < MAX_KNOWN) known.set(value, colour);
  }
  return colours;
}
