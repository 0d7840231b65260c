export interface ChartSeries {
  name: string;
  values: readonly (number | null)[];
  /** For the previous period. */
  isDashed?: boolean;
  /** Index into the theme's colours; its position by default. */
  colour?: number;
}
