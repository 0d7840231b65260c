/** What a chart shows. Everything in this folder draws, lists or exports these. */

/** One of the palette's colours by index; grey for what is grouped as 'Other'; neutral for all values together. */
export type Colour = number | 'other' | 'overall';

export type Values = readonly (number | null)[];

/** A point in time, or a class of a histogram. */
export interface ChartTick {
  /** On the axis: Nov 16. */
  label: string;
  /** In tooltips: Monday, Nov 16, 2026. */
  title: string;
}

export interface ChartSeries {
  name: string;
  colour: Colour;
  values: Values;
  /** The same series in the previous period, tick by tick. */
  previous?: { values: Values; titles: readonly string[] };
  /** How uncertain the values are: drawn as a band around the line. */
  band?: { low: Values; high: Values };
}

/** Something that happened at a tick, marked below the axis. */
export interface Annotation {
  tick: number;
  text: string;
}

/** The values of a series, or those of its previous period. */
export interface Point {
  series: number;
  tick: number;
  isPrevious: boolean;
}
