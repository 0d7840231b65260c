import { useState } from 'preact/hooks';
import { getDemoData, removeDemoData } from '../../api/demo.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Banner, ErrorNote, Progress } from '../../components/states.tsx';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useInterval, useResource } from '../../lib/use-resource.ts';

const POLL_INTERVAL_MS = 500;

/** Removes what the Install SDK page loads. */
export function DemoData() {
  const { id } = useProject();
  const [isConfirming, setConfirming] = useState(false);
  const demo = useResource((signal) => getDemoData(id, signal), [id]);
  const { state = 'none', sent = 0, total = 0, problem } = demo.data ?? {};
  useInterval(() => state === 'removing' && demo.reload(), POLL_INTERVAL_MS);
  return (
    <section class="card stack" aria-label="Demo data">
      <h2>Demo data</h2>
      <p class="muted">
        Removes the demo data that was loaded into this project. Your own events, flags and dashboards stay.
      </p>
      {state === 'removing' && (
        <Progress
          label={`${formatNumber(sent)} of ${total ? pluralize(total, 'person') : 'all persons'}`}
          value={sent}
          max={total || 1}
        />
      )}
      {state === 'removed' && <Banner tone="good">The demo data was removed.</Banner>}
      {state === 'failed' && <ErrorNote error={new Error(problem ?? 'Could not remove the demo data. Try again.')} />}
      {demo.error !== undefined && <ErrorNote error={demo.error} onRetry={demo.reload} />}
      <div>
        <Button
          kind="danger"
          busy={state === 'removing'}
          disabled={state === 'running'}
          onClick={() => setConfirming(true)}
        >
          Remove demo data…
        </Button>
      </div>
      {isConfirming && (
        <Confirm
          title="Remove demo data?"
          action="Remove demo data"
          danger
          onClose={() => setConfirming(false)}
          onConfirm={async () => demo.set(await removeDemoData(id))}
        >
          <p>
            The hikers of the demo and their events, its feature flags and experiments, cohort, dashboard and insights
            are deleted. You can load it again.
          </p>
        </Confirm>
      )}
    </section>
  );
}
