import { useEffect, useState } from 'preact/hooks';
import { capture, type LiveEvent, listEvents } from '../../api/events.ts';
import { watchEvents } from '../../api/live-events.ts';
import { Button } from '../../components/button.tsx';
import { Link } from '../../components/link.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { classes } from '../../lib/classes.ts';
import { eventLabel } from '../../lib/friendly-names.ts';
import { pathTo } from '../../lib/route-table.ts';
import { useSession } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';

export function FirstEvent() {
  const { project, me, reload } = useSession();
  const [seen, setSeen] = useState<LiveEvent | null>(null);
  const earlier = useResource((signal) => listEvents(project.id, { limit: 1 }, signal), [project.id]);
  const latest = seen ?? earlier.data?.results[0] ?? null;
  useEffect(
    () =>
      watchEvents(
        project.id,
        {},
        {
          onEvent: setSeen,
          onSkipped: () => undefined,
          // An event may have arrived while disconnected.
          onConnected: (isConnected) => isConnected && earlier.reload(),
        },
      ),
    [project.id, earlier.reload],
  );
  const hasEvents = latest !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, so that the next visit starts with the numbers of the site
  useEffect(() => {
    if (hasEvents && !project.ingested_event) reload();
  }, [hasEvents]);
  const test = useAction(() =>
    capture(project.api_token, {
      event: 'test event',
      distinct_id: me.distinct_id,
      properties: { sent_from: 'console', $lib: 'cairn-console' },
    }),
  );
  return (
    <section class={classes('card first-event', hasEvents && 'has-events')} aria-label="First event">
      <span class="beacon" aria-hidden="true" />
      <div class="text" role="status">
        {latest ? (
          <>
            <h2>Receiving events</h2>
            <p class="muted">
              Latest event: <b title={latest.event}>{eventLabel(latest.event)}</b>,{' '}
              <Time at={latest.timestamp} as="recent" />
            </p>
          </>
        ) : (
          <>
            <h2>Waiting for your first event</h2>
            <p class="muted">This page updates as soon as an event arrives.</p>
          </>
        )}
      </div>
      <div class="row">
        <Button busy={test.busy} onClick={() => void test.run()}>
          Send test event
        </Button>
        {latest && <Link to={pathTo('live', { project: project.id }) ?? '/'}>View live events</Link>}
      </div>
      {test.error !== undefined && <ErrorNote error={test.error} />}
      {earlier.error !== undefined && <ErrorNote error={earlier.error} onRetry={earlier.reload} />}
    </section>
  );
}
