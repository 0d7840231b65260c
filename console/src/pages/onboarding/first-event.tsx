import { useEffect, useState } from 'preact/hooks';
import { capture, type LiveEvent, listEvents } from '../../api/events.ts';
import { watchEvents } from '../../api/live-events.ts';
import { Button } from '../../components/button.tsx';
import { Link } from '../../components/link.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { classes } from '../../lib/classes.ts';
import { pathTo } from '../../lib/route-table.ts';
import { useSession } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';

/** Waits for the first event by watching the live stream, and turns green when it comes. */
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
          // One may have come while nobody watched.
          onConnected: (isConnected) => isConnected && earlier.reload(),
        },
      ),
    [project.id, earlier.reload],
  );
  const hasCome = latest !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, so that the next visit begins with the events
  useEffect(() => {
    if (hasCome && !project.ingested_event) reload();
  }, [hasCome]);
  const test = useAction(() =>
    capture(project.api_token, {
      event: 'test event',
      distinct_id: me.distinct_id,
      properties: { sent_from: 'the console', $lib: 'cairn-console' },
    }),
  );
  return (
    <section class={classes('card waiting', hasCome && 'has-come')} aria-label="First event">
      <span class="beacon" aria-hidden="true" />
      <div class="words" role="status">
        {latest ? (
          <>
            <h2>Events are coming in</h2>
            <p class="soft">
              The latest: <b>{latest.event}</b>, <Time at={latest.timestamp} as="time" />
            </p>
          </>
        ) : (
          <>
            <h2>Waiting for the first event</h2>
            <p class="soft">This page watches, and turns green when one comes.</p>
          </>
        )}
      </div>
      <div class="row">
        <Button busy={test.busy} onClick={() => void test.run()}>
          Send a test event
        </Button>
        {latest && <Link to={pathTo('live', { project: project.id }) ?? '/'}>See live events</Link>}
      </div>
      {test.error !== undefined && <ErrorNote error={test.error} />}
      {earlier.error !== undefined && <ErrorNote error={earlier.error} onRetry={earlier.reload} />}
    </section>
  );
}
