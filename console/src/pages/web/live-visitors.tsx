import { getLive } from '../../api/web.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useInterval, useResource } from '../../lib/use-resource.ts';
import { valueLabel } from './web-state.ts';

const LIVE_MS = 15_000;
const MAX_SHOWN = 3;

/** The most frequent first. */
function mostFrequent(values: readonly string[]): [value: string, count: number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_SHOWN);
}

const listed = (values: readonly [string, number][]): string =>
  values.map(([value, count]) => (count === 1 ? value : `${value} (${formatNumber(count)})`)).join(', ');

/** Who was here in the last five minutes, on which pages and from where. */
export function LiveVisitors() {
  const { id } = useProject();
  const live = useResource((signal) => getLive(id, signal), [id]);
  useInterval(live.reload, LIVE_MS);
  if (live.data === undefined) return null;
  const { visitors, pages } = live.data;
  const paths = mostFrequent(pages.map(({ path }) => path));
  const places = mostFrequent(pages.flatMap(({ country }) => (country === null ? [] : valueLabel('country', country))));
  return (
    <span class={visitors > 0 ? 'web-live is-on' : 'web-live'} role="status" title="In the last five minutes">
      <i aria-hidden="true" /> {visitors === 1 ? '1 person' : `${formatNumber(visitors)} people`} now
      {paths.length > 0 && <span class="muted"> on {listed(paths)}</span>}
      {places.length > 0 && <span class="muted"> from {listed(places)}</span>}
    </span>
  );
}
