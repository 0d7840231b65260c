/** Which colour a value gets: the same on every chart, and whatever else is shown. */
import type { Colour } from '../chart-data.ts';

/** `--series-1` and so on in `tokens.css`. */
export const PALETTE_SIZE = 12;

/** The colour in HTML and SVG. */
export const colourOf = (colour: Colour): string =>
  `var(--series-${typeof colour === 'number' ? (colour % PALETTE_SIZE) + 1 : colour})`;

/** The server groups rare values of a funnel under this name. */
export const OTHER = 'Other';

/** FNV-1a: short, and spreads similar texts. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return state >>> 0;
}

/** Steps that visit the whole palette, because they share no factor with its size. */
const STEPS = [1, 5, 7, 11];

/** All colours, in the order in which this value prefers them. */
export function preferredColours(value: string): number[] {
  const seed = hash(value);
  const step = STEPS[(seed >>> 8) % STEPS.length] ?? 1;
  return Array.from({ length: PALETTE_SIZE }, (_, index) => (seed + index * step) % PALETTE_SIZE);
}

/**
 * The colours of the values of one chart, the most important first. `known` has the values that were shown before: they
 * keep their colour, unless another value of this chart has it too. No colour is used twice: when there are more values
 * than colours, the last ones are grey.
 */
export function assignColours(values: readonly string[], known: ReadonlyMap<string, number>): Colour[] {
  const coloured = [...new Set(values)].filter((value) => value !== OTHER).slice(0, PALETTE_SIZE);
  const assigned = new Map<string, number>();
  const taken = new Set<number>();
  const give = (value: string, colour: number | undefined): void => {
    if (colour === undefined || assigned.has(value) || taken.has(colour)) return;
    assigned.set(value, colour);
    taken.add(colour);
  };
  for (const value of coloured) give(value, known.get(value));
  for (const value of coloured) for (const colour of preferredColours(value)) give(value, colour);
  return values.map((value) => assigned.get(value) ?? 'other');
}
