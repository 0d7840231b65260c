/** How often the flag was evaluated in the last 30 days: by the server, or as SDKs that evaluate flags themselves report. */
import { useState } from 'preact/hooks';
import { getFlagUsage, type UsageOrigin, type UsageSource } from '../../api/flags.ts';
import { Chart } from '../../charts/chart.tsx';
import { Select } from '../../components/field.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { formatTick, formatTickTitle } from '../../lib/dates.ts';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

const ORIGINS: readonly { value: UsageOrigin; label: string }[] = [
  { value: 'server', label: 'By this server' },
  { value: 'sdk', label: 'Reported by SDKs' },
];

export function UsageCard({ flagId }: { flagId: number }) {
  const { id } = useProject();
  const [origin, setOrigin] = useState<UsageOrigin>('server');
  const usage = useResource((signal) => getFlagUsage(id, flagId, { origin }, signal), [id, flagId, origin]);
  return (
    <section class="card stack" aria-label="Usage">
      <div class="row">
        <h2>Usage</h2>
        <div class="push">
          <Select
            label="Evaluated"
            hideLabel
            value={origin}
            options={[...ORIGINS]}
            onChange={(next) => setOrigin(next)}
          />
        </div>
      </div>
      <Loaded resource={usage}>
        {({ results, total, sources }) =>
          total === 0 ? (
            <Empty title="Not evaluated in the last 30 days">
              {origin === 'server'
                ? 'Requests to /decide/, /flags/ and OFREP are counted. SDKs that evaluate flags themselves report it with $feature_flag_called.'
                : 'SDKs report with $feature_flag_called that they evaluated a flag.'}
            </Empty>
          ) : (
            <>
              <p>
                {pluralize(total, 'evaluation')} in the last 30 days. {describeSources(sources)}
              </p>
              <Chart
                label="Evaluations by day"
                kind="bar"
                unit="Evaluations"
                small
                hasTable
                ticks={(results[0]?.days ?? []).map((day) => ({
                  label: formatTick(day, 'day'),
                  title: formatTickTitle(day, 'day'),
                }))}
                series={results.map(({ label, data }, index) => ({ name: label, colour: index, values: data }))}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

/** 'Asked by posthog-js (1.130, 1.131) and other.' */
function describeSources(sources: readonly UsageSource[]): string {
  const named = sources.map(({ name, versions }) => {
    const known = versions.flatMap(({ version }) => version ?? []);
    const shown = known.slice(0, MAX_VERSIONS).join(', ');
    const more = known.length > MAX_VERSIONS ? `, ${formatNumber(known.length - MAX_VERSIONS)} more` : '';
    return shown === '' ? name : `${name} (${shown}${more})`;
  });
  return `Asked by ${new Intl.ListFormat('en').format(named)}.`;
}

const MAX_VERSIONS = 3;
