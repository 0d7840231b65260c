import { ApiError } from '../../api/api-error.ts';
import { type EventFate, getEvent, getEventFate, replayDeadLetter } from '../../api/events.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/code.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { Badge, ErrorNote, Loaded, Skeleton, type Tone } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { countOf } from '../../lib/format.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { reasonText } from './reasons.ts';

const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** One event, whole, and what became of it; also of one that was never stored. */
export function EventDetails({ uuid, onClose }: { uuid: string; onClose(): void }) {
  const { id } = useProject();
  const event = useResource((signal) => getEvent(id, uuid, signal), [id, uuid]);
  const fate = useResource((signal) => getEventFate(id, uuid, signal), [id, uuid]);
  const { data } = event;
  return (
    <Dialog side title={data?.event ?? 'Event'} onClose={onClose}>
      {isMissing(fate.error) ? (
        <ErrorNote error={fate.error} />
      ) : (
        <Loaded resource={fate} skeleton={<Skeleton lines={2} />}>
          {(known) => <Fate fate={known} onReplayed={fate.reload} />}
        </Loaded>
      )}
      {data && (
        <>
          <Facts
            facts={[
              ['Time', <Time at={data.timestamp} />],
              ['Person', <PersonLink id={data.distinct_id} name={data.distinct_id} />],
              ['Event id', <code>{data.id}</code>],
            ]}
          />
          <div class="row">
            <h3>Properties</h3>
            <span class="push">
              <CopyButton text={JSON.stringify(data, null, 2)}>Copy the event</CopyButton>
            </span>
          </div>
          <JsonView value={data.properties} label="Properties of the event" />
        </>
      )}
      {event.loading && data === undefined && <Skeleton />}
      {event.error !== undefined && !isMissing(event.error) && <ErrorNote error={event.error} onRetry={event.reload} />}
    </Dialog>
  );
}

const TONES: Record<string, Tone> = {
  stored: 'good',
  pending: 'neutral',
  dropped: 'warn',
  dead_lettered: 'bad',
  removed: 'neutral',
};
const WORDS: Record<string, string> = {
  stored: 'Stored',
  pending: 'Waits to be processed',
  dropped: 'Dropped',
  dead_lettered: 'Could not be processed',
  removed: 'Removed since',
};

function Fate({ fate, onReplayed }: { fate: EventFate; onReplayed(): void }) {
  const { id } = useProject();
  const replay = useAction(async () => {
    if (fate.dead_letter_id !== null) await replayDeadLetter(id, fate.dead_letter_id);
    onReplayed();
  });
  const isDead = fate.fate === 'dead_lettered';
  return (
    <section class="stack-s" aria-label="What became of it">
      <div class="row">
        <Badge tone={TONES[fate.fate] ?? 'neutral'}>{WORDS[fate.fate] ?? fate.fate}</Badge>
        {fate.duplicates > 0 && <Badge>came again {countOf(fate.duplicates, 'time')}</Badge>}
      </div>
      {fate.reason !== null && <p>{isDead ? fate.reason : reasonText(fate.reason)}</p>}
      <Facts
        facts={[
          ['Accepted', <Time at={fate.accepted_at} />],
          ...(fate.stored_at ? [['Stored', <Time at={fate.stored_at} />] as Fact] : []),
          ...(fate.dropped_at ? [['Dropped', <Time at={fate.dropped_at} />] as Fact] : []),
          ...(fate.dead_lettered_at ? [['Set aside', <Time at={fate.dead_lettered_at} />] as Fact] : []),
        ]}
      />
      {isDead && (
        <div>
          <Button small busy={replay.busy} onClick={() => void replay.run()}>
            Process it again
          </Button>
        </div>
      )}
      {replay.error !== undefined && <ErrorNote error={replay.error} />}
    </section>
  );
}
