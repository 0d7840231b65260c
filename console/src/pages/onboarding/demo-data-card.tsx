/** For those who have nothing to send yet: two months of a product that does not exist. */
import { getDemoData, loadDemoData } from '../../api/demo.ts';
import { Button } from '../../components/button.tsx';
import { Banner, ErrorNote, Progress } from '../../components/states.tsx';
import { countOf, formatNumber } from '../../lib/format.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useInterval, useResource } from '../../lib/use-resource.ts';

const LOOK_EVERY_MS = 500;

export function DemoDataCard() {
  const { id } = useProject();
  const demo = useResource((signal) => getDemoData(id, signal), [id]);
  const load = useAction(async () => demo.set(await loadDemoData(id)));
  const { state = 'none', sent = 0, total = 0, problem } = demo.data ?? {};
  const refusal = load.error ?? demo.error;
  useInterval(() => state === 'running' && demo.reload(), LOOK_EVERY_MS);
  return (
    <section class="card stack-s" aria-label="Demo data">
      <h2>Nothing to send yet?</h2>
      <p class="soft">
        Load two months of a made-up hiking app: its events and persons, two flags, a cohort and a dashboard. Everything
        in it is called demo. It goes into this project and stays there, so a project of its own is a good place for it.
      </p>
      {state === 'running' && (
        <Progress
          label={`${formatNumber(sent)} of ${total ? countOf(total, 'event') : 'all events'}`}
          value={sent}
          max={total || 1}
        />
      )}
      {state === 'done' && <Banner tone="good">{countOf(total, 'event')} loaded.</Banner>}
      {state === 'failed' && <ErrorNote error={new Error(problem ?? 'It could not be loaded.')} />}
      {refusal !== undefined && <ErrorNote error={refusal} />}
      <div class="row">
        <Button busy={load.busy || state === 'running'} onClick={() => void load.run()}>
          {state === 'done' ? 'Load what is new since' : 'Load demo data'}
        </Button>
      </div>
    </section>
  );
}
