import type { Overview } from '../../api/web.ts';
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

/** Web vitals: three quarters of page loads are at least as fast. */
export const SpeedCard = ({ vitals }: Pick<Overview, 'vitals'>) => (
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
        {Object.entries(vitals).map(([name, { p75, band, n }]) => (
          <tr key={name}>
            <td title={pluralize(n, 'page load')}>
              {NAMES[name] ?? name} <span class="muted small">{name}</span>
            </td>
            <td class="number">{p75 === null ? '–' : formatVital(name, p75)}</td>
            <td>{band !== null && <Badge tone={BANDS[band]?.tone ?? 'neutral'}>{BANDS[band]?.label}</Badge>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const formatVital = (name: string, value: number): string =>
  name === 'CLS' ? formatNumber(value) : `${formatNumber(Math.round(value))} ms`;
