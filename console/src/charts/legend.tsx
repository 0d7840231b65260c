import { useState } from 'preact/hooks';
import { classes } from '../lib/classes.ts';
import type { ChartSeries } from './chart-data.ts';
import { LongName } from './long-name.tsx';
import { soloHidden, toggleHidden } from './rules/legend.ts';
import { tailLength } from './rules/shorten.ts';
import { Swatch } from './swatch.tsx';

interface LegendProps {
  series: readonly ChartSeries[];
  hidden: ReadonlySet<number>;
  onHide(hidden: ReadonlySet<number>): void;
  /** The series under the pointer, null if there is none. */
  onFocus(index: number | null): void;
  /** How many are shown at first. */
  limit: number;
}

/** A click or Enter hides a series; a double click, or the same with the Alt key, hides all others. */
export function Legend({ series, hidden, onHide, onFocus, limit }: LegendProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? series : series.slice(0, limit);
  const tail = tailLength(series.map(({ name }) => name));
  const solo = (index: number): void => onHide(soloHidden(hidden, index, series.length));
  return (
    <ul class="chart-legend" aria-label="Series">
      {shown.map(({ name, colour }, index) => (
        <li key={index}>
          <button
            type="button"
            class={classes('legend-item', hidden.has(index) && 'is-hidden')}
            aria-pressed={!hidden.has(index)}
            title={`${name}\nClick to hide or show, double-click to show only this`}
            onClick={(event) => (event.altKey ? solo(index) : onHide(toggleHidden(hidden, index, series.length)))}
            onDblClick={() => solo(index)}
            onKeyDown={(event) => {
              // Browsers make no click of it.
              if (event.key === 'Enter' && event.altKey) solo(index);
            }}
            onPointerEnter={() => onFocus(hidden.has(index) ? null : index)}
            onPointerLeave={() => onFocus(null)}
          >
            <Swatch colour={colour} /> <LongName name={name} tail={tail} />
          </button>
        </li>
      ))}
      {series.some(({ previous }) => previous) && (
        <li class="muted">
          <span class="legend-dash" />
          Previous period
        </li>
      )}
      {series.length > limit && (
        <li>
          <button type="button" class="legend-item" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show ${series.length - limit} more`}
          </button>
        </li>
      )}
    </ul>
  );
}
