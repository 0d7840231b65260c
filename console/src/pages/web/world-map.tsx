import type { TargetedMouseEvent } from 'preact';
import type { WebNumbers } from '../../api/web.ts';
import { pluralize } from '../../lib/numbers.ts';
import { useResource } from '../../lib/use-resource.ts';
import { useSiteSource } from './site-source.ts';
import { rowFilter, valueLabel, type WebState } from './web-state.ts';
import { COUNTRY_PATHS, MAP_SIZE, SMALL_COUNTRIES } from './world-paths.ts';

/** As many as the world has. */
const MAX_COUNTRIES = 300;
const DOT_SIZE = 4;

/** Visitors by country, darker where there are more. The list below says the same to those who cannot see or click it. */
export function WorldMap({ state }: { state: WebState }) {
  const source = useSiteSource();
  const table = useResource(
    (signal) => source.breakdown(state.fields, { by: 'country', limit: MAX_COUNTRIES }, signal),
    [source, JSON.stringify(state.fields)],
  );
  const visitors = new Map((table.data?.rows ?? []).map((row) => visitorsOf(row as [string, WebNumbers])));
  const most = Math.max(1, ...[...visitors].map(([code, count]) => (code === '(none)' ? 0 : count)));
  // Most countries have few visitors: by the root they can be told apart.
  const shareOf = (code: string): number => Math.sqrt((visitors.get(code) ?? 0) / most);
  const onClick = (event: TargetedMouseEvent<SVGSVGElement>): void => {
    const code = (event.target as SVGElement).getAttribute('data-code');
    if (code !== null && !state.isFixed) state.toggle(rowFilter('country', code));
  };
  const labelled = (code: string) => {
    const count = visitors.get(code) ?? 0;
    return count === 0
      ? {}
      : {
          'data-code': code,
          style: { '--share': shareOf(code) },
          title: `${valueLabel('country', code)}: ${pluralize(count, 'visitor')}`,
        };
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list below has the same as buttons
    <svg
      class="web-map"
      role="img"
      aria-label="Visitors by country"
      viewBox={`0 0 ${MAP_SIZE.width} ${MAP_SIZE.height}`}
      onClick={onClick}
    >
      {COUNTRY_PATHS.map(([code, path]) => {
        const { title, ...attributes } = labelled(code);
        return (
          <path key={code} d={path} {...attributes}>
            {title && <title>{title}</title>}
          </path>
        );
      })}
      {SMALL_COUNTRIES.filter(([code]) => visitors.has(code)).map(([code, x, y]) => {
        const { title, ...attributes } = labelled(code);
        return (
          <circle key={code} cx={x} cy={y} r={DOT_SIZE} {...attributes}>
            <title>{title}</title>
          </circle>
        );
      })}
    </svg>
  );
}

const visitorsOf = ([code, numbers]: [string, WebNumbers]): [string, number] => [code, numbers.visitors];
