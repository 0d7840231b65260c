import { useState } from 'preact/hooks';
import type { Overview } from '../../api/web.ts';
import { Button } from '../../components/button.tsx';
import { Badge, type Tone } from '../../components/states.tsx';
import { formatNumber, pluralize } from '../../lib/numbers.ts';

const BANDS: Readonly<Record<string, { label: string; tone: Tone }>> = {
  good: { label: 'Good', tone: 'good' },
  needs_improvements: { label: 'Needs improvement', tone: 'warn' },
  poor: { label: 'Poor', tone: 'bad' },
};

const NAMES: Readonly<Record<string, string>> = {
  LCP: 'Largest contentful paint',
  INP: 'Interaction to next paint',
  CLS: 'Cumulative layout shift',
  FCP: 'First contentful paint',
};

/** Web vitals: three quarters of page loads are at least as fast. A vital shows the pages where it is worst. */
export function SpeedCard({ vitals }: Pick<Overview, 'vitals'>) {
  const [shown, setShown] = useState<string | null>(null);
  const pages = shown === null ? [] : (vitals[shown]?.pages ?? []);
  return (
    <section class="card stack-s web-card" aria-label="Speed">
      <h2>Speed</h2>
      <p class="muted small">Three quarters of page loads are at least this fast.</p>
      <table class="web-rows web-speed">
        <thead>
          <tr>
            <th scope="col">Web vital</th>
            <th scope="col" class="number">
              75th percentile
            </th>
            <th scope="col">Rating</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(vitals).map(([name, { p75, band, n, pages: worst }]) => (
            <tr key={name}>
              <td title={pluralize(n, 'page load')}>
                {NAMES[name] ?? name} <span class="muted small">{name}</span>{' '}
                {worst.length > 0 && (
                  <Button
                    kind="quiet"
                    small
                    aria-expanded={shown === name}
                    aria-label={`Worst pages by ${lowerFirst(NAMES[name] ?? name)}`}
                    onClick={() => setShown(shown === name ? null : name)}
                  >
                    Pages
                  </Button>
                )}
              </td>
              <td class="number">{p75 === null ? '–' : formatVital(name, p75)}</td>
              <td>{band !== null && <Band band={band} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown !== null && pages.length > 0 && (
        <table class="web-rows web-speed">
          <caption class="small">Worst pages by {lowerFirst(NAMES[shown] ?? shown)}</caption>
          <thead>
            <tr>
              <th scope="col">Page</th>
              <th scope="col" class="number">
                75th percentile
              </th>
              <th scope="col">Rating</th>
            </tr>
          </thead>
          <tbody>
            {pages.map(({ path, p75, band, n }) => (
              <tr key={path}>
                <td title={`${path} (${pluralize(n, 'page load')})`}>{path}</td>
                <td class="number">{formatVital(shown, p75)}</td>
                <td>
                  <Band band={band} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const Band = ({ band }: { band: string }) => <Badge tone={BANDS[band]?.tone ?? 'neutral'}>{BANDS[band]?.label}</Badge>;

const formatVital = (name: string, value: number): string =>
  name === 'CLS' ? formatNumber(value) : `${formatNumber(Math.round(value))} ms`;
