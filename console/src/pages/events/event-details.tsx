import { ApiError } from '../../api/api-error.ts';
import { type EventFate, getEvent, getEventFate, replayDeadLetter } from '../../api/events.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/code.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { EventName } from '../../components/names.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { PropertyList } from '../../components/property-list.tsx';
import { Badge, ErrorNote, Loaded, Skeleton, type Tone } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { eventLabel } from '../../lib/friendly-names.ts';
import { pluralize } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { reasonText } from './reasons.ts';

const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** An event and its ingestion status, also of an event that was never stored. */
export function EventDetails({ uuid, onClose }: { uuid: string; onClose(): void }) {
  const { id } = useProject();
  const event = useResource((signal) => getEvent(id, uuid, signal), [id, uuid]);
  const fate = useResource((signal) => getEventFate(id, uuid, signal), [id, uuid]);
  const { data } = event;
  return (
    <Dialog side title={data ? eventLabel(data.event) : 'Event'} onClose={onClose}>
      {isMissing(fate.error) ? (
        <ErrorNote error={fate.error} />
      ) : (
        <Loaded resource={fate} skeleton={<Skeleton lines={2} />}>
          {(loaded) => <Fate fate={loaded} onReplayed={fate.reload} />}
        </Loaded>
      )}
      {data && (
        <>
          <Facts
            facts={[
              ['Event', <EventName name={data.event} hasRaw />],
              ['Time', <Time at={data.timestamp} />],
              ['Person', <PersonLink id={data.distinct_id} name={data.distinct_id} />],
              ['Event UUID', <code>{data.id}</code>],
            ]}
          />
          <div class="row">
            <h3>Properties</h3>
            <span class="push">
              <CopyButton text={JSON.stringify(data, null, 2)}>Copy as JSON</CopyButton>
            </span>
          </div>
          <PropertyList properties={data.properties} label="Event properties" />
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
const LABELS: Record<string, string> = {
  stored: 'Stored',
  pending: 'Pending',
  dropped: 'Dropped',
  dead_lettered: 'Dead letter',
  removed: 'Deleted',
};

function Fate({ fate, onReplayed }: { fate: EventFate; onReplayed(): void }) {
  const { id } = useProject();
  const replay = useAction(async () => {
    if (fate.dead_letter_id !== null) await replayDeadLetter(id, fate.dead_letter_id);
    onReplayed();
  });
  const isDead = fate.fate === 'dead_lettered';
  return (
    <section class="stack-s" aria-label="Ingestion status">
      <div class="row">
        <Badge tone={TONES[fate.fate] ?? 'neutral'}>{LABELS[fate.fate] ?? fate.fate}</Badge>
        {fate.duplicates > 0 && <Badge>{pluralize(fate.duplicates, 'duplicate')}</Badge>}
      </div>
      {fate.reason !== null && <p>{isDead ? fate.reason : reasonText(fate.reason)}</p>}
      <Facts
        facts={[
          ['Accepted', <Time at={fate.accepted_at} />],
          ...(fate.stored_at ? [['Stored', <Time at={fate.stored_at} />] as Fact] : []),
          ...(fate.dropped_at ? [['Dropped', <Time at={fate.dropped_at} />] as Fact] : []),
          ...(fate.dead_lettered_at ? [['Failed', <Time at={fate.dead_lettered_at} />] as Fact] : []),
        ]}
      />
      {isDead && (
        <div>
          <Button small busy={replay.busy} onClick={() => void replay.run()}>
            Replay
          </Button>
        </div>
      )}
      {replay.error !== undefined && <ErrorNote error={replay.error} />}
    </section>
  );
}
