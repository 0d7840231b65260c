import { getDemoData, loadDemoData } from '../../api/demo.ts';
import { Button } from '../../components/button.tsx';
import { Banner, ErrorNote, Progress } from '../../components/states.tsx';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useInterval, useResource } from '../../lib/use-resource.ts';

const POLL_INTERVAL_MS = 500;

export function DemoDataCard() {
  const { id } = useProject();
  const demo = useResource((signal) => getDemoData(id, signal), [id]);
  const load = useAction(async () => demo.set(await loadDemoData(id)));
  const { state = 'none', sent = 0, total = 0, problem } = demo.data ?? {};
  const error = load.error ?? demo.error;
  useInterval(() => state === 'running' && demo.reload(), POLL_INTERVAL_MS);
  return (
    <section class="card stack-s" aria-label="Demo data">
      <h2>Explore with demo data</h2>
      <p class="muted">
        Loads two months of events from a fictional hiking app, with persons, two feature flags, a cohort and a
        dashboard. Everything is named “demo”, and can be removed in the project settings.
      </p>
      {state === 'running' && (
        <Progress
          label={`${formatNumber(sent)} of ${total ? pluralize(total, 'event') : 'all events'}`}
          value={sent}
          max={total || 1}
        />
      )}
      {state === 'done' && <Banner tone="good">{pluralize(total, 'event')} loaded.</Banner>}
      {state === 'failed' && <ErrorNote error={new Error(problem ?? 'Could not load the demo data. Try again.')} />}
      {error !== undefined && <ErrorNote error={error} />}
      <div class="row">
        <Button busy={load.busy || state === 'running'} onClick={() => void load.run()}>
          {state === 'done' ? 'Load newer demo data' : 'Load demo data'}
        </Button>
      </div>
    </section>
  );
}
