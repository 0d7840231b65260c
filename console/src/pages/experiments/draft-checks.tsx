/** Before the launch: how long it takes, and whether the flag was called and the events of the metrics exist. */
import { type Experiment, planExperiment } from '../../api/experiments.ts';
import { Badge, Loaded } from '../../components/states.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { PlanText } from './plan-fields.tsx';

export function DraftChecks({ experiment }: { experiment: Experiment }) {
  const { id } = useProject();
  const plan = useResource(
    (signal) => planExperiment(id, { experiment_id: experiment.id }, signal),
    [id, experiment.id, experiment.updated_at],
  );
  return (
    <section class="stack-s" aria-label="Checks">
      <h2>Before the launch</h2>
      <Loaded resource={plan}>
        {(found) => (
          <>
            <PlanText plan={found} />
            <ul class="plain-list">
              {found.checks.map(({ name, kind, events, is_seen: isSeen }) => (
                <li key={`${kind} ${name}`} class="row">
                  <Badge tone={isSeen ? 'good' : 'warn'}>{isSeen ? 'Seen' : 'Not seen'}</Badge>
                  <span>
                    {kind === 'flag' ? 'Flag' : 'Event'} <code>{name}</code>: {adviceFor(kind, events)}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  );
}

function adviceFor(kind: 'flag' | 'event', events: number): string {
  if (events > 0) return `${formatNumber(events)} in the last 7 days.`;
  return kind === 'flag'
    ? 'not called in the last 7 days. Call it in your code before the launch, or no one is exposed.'
    : 'none in the last 7 days. Check the name, or send it with the new version.';
}
