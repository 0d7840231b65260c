/** A canvas cannot use CSS custom properties, so the theme's colours are read for it, again on every change. */
import { useEffect, useState } from 'preact/hooks';

export interface ChartTheme {
  series: readonly string[];
  ink: string;
  line: string;
  surface: string;
  font: string;
}

export const SERIES_COLOURS = 8;

/** The colour of a series in HTML and SVG. */
export const seriesColour = (index: number): string => `var(--series-${(index % SERIES_COLOURS) + 1})`;

function readTheme(): ChartTheme {
  const probe = document.createElement('span');
  document.body.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const theme = {
    series: Array.from({ length: SERIES_COLOURS }, (_, index) => colour(`series-${index + 1}`)),
    ink: colour('ink-soft'),
    line: colour('line'),
    surface: colour('surface'),
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
  };
  probe.remove();
  return theme;
}

export function useChartTheme(): ChartTheme {
  const [theme, setTheme] = useState(readTheme);
  useEffect(() => {
    const update = (): void => setTheme(readTheme());
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', update);
    const observer = new MutationObserver(update);
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', update);
      observer.disconnect();
    };
  }, []);
  return theme;
}
