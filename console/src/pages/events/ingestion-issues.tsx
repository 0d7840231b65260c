/** Dead letters, dropped events and ingestion warnings. */
import { useState } from 'preact/hooks';
import {
  type DeadLetter,
  type DroppedEvent,
  type IngestionWarning,
  listDeadLetters,
  listDropped,
  listWarnings,
  replayDeadLetter,
} from '../../api/events.ts';
import { getStatus } from '../../api/status.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { EventName } from '../../components/names.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { reasonText, warningText } from './reasons.ts';

const PAGE_SIZE = 25;

export function IngestionIssues({ onOpen }: { onOpen(uuid: string): void }) {
  return (
    <>
      <Lookup onOpen={onOpen} />
      <DeadLetters onOpen={onOpen} />
      <DroppedEvents onOpen={onOpen} />
      <Warnings />
    </>
  );
}

function Lookup({ onOpen }: { onOpen(uuid: string): void }) {
  const [uuid, setUuid] = useState('');
  return (
    <form
      class="lookup"
      onSubmit={(event) => {
        event.preventDefault();
        if (uuid.trim() !== '') onOpen(uuid.trim());
      }}
    >
      <TextField
        label="Look up an event by UUID"
        placeholder="0193f0a2-7c4e-7d1b-9a57-3f6c2b1e8d40"
        value={uuid}
        onInput={setUuid}
        spellcheck={false}
      />
      <Button type="submit">Look up</Button>
    </form>
  );
}

function DeadLetters({ onOpen }: { onOpen(uuid: string): void }) {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const letters = useResource((signal) => listDeadLetters(id, { limit: PAGE_SIZE, offset }, signal), [id, offset]);
  const replay = useAction(async (letter: DeadLetter) => {
    await replayDeadLetter(id, letter.id).then(() => toast('Event replayed.'), toastError);
    letters.reload();
  });
  const columns: Column<DeadLetter>[] = [
    { id: 'failed', title: 'Failed', cell: ({ failed_at }) => <Time at={failed_at} /> },
    {
      id: 'event',
      title: 'Event',
      cell: ({ event }) => (
        <span class="truncate live-name">{event === null ? 'Unnamed event' : <EventName name={event} />}</span>
      ),
    },
    {
      id: 'person',
      title: 'Person',
      isWide: true,
      cell: (letter) => <span class="truncate">{letter.distinct_id ?? ''}</span>,
    },
    { id: 'error', title: 'Error', cell: ({ error }) => error },
    {
      id: 'replay',
      title: 'Replay',
      hideTitle: true,
      cell: (letter) => (
        <Button small busy={replay.busy} onClick={() => void replay.run(letter)}>
          Replay
        </Button>
      ),
    },
  ];
  return (
    <section class="stack-s" aria-label="Dead letters">
      <h2>Dead letters</h2>
      <Loaded resource={letters}>
        {({ count, results }) => (
          <>
            <Table
              label="Dead letters"
              columns={columns}
              rows={results}
              rowKey={(letter) => letter.id}
              onOpen={(letter) => onOpen(letter.event_uuid)}
              empty={
                <Empty title="No dead letters">
                  Events that fail to process are kept here with the error. You can replay them, for example after an
                  upgrade.
                </Empty>
              }
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
    </section>
  );
}

const DROPPED_COLUMNS: readonly Column<DroppedEvent>[] = [
  { id: 'time', title: 'Dropped', cell: ({ dropped_at }) => <Time at={dropped_at} /> },
  { id: 'reason', title: 'Reason', cell: ({ reason }) => reasonText(reason) },
  { id: 'uuid', title: 'Event UUID', isWide: true, cell: ({ uuid }) => <code class="truncate">{uuid}</code> },
];

function DroppedEvents({ onOpen }: { onOpen(uuid: string): void }) {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const dropped = useResource((signal) => listDropped(id, { limit: PAGE_SIZE, offset }, signal), [id, offset]);
  return (
    <section class="stack-s" aria-label="Dropped events">
      <h2>Dropped events</h2>
      <Loaded resource={dropped}>
        {({ count, results }) => (
          <>
            <Table
              label="Dropped events"
              columns={DROPPED_COLUMNS}
              rows={results}
              rowKey={({ uuid, dropped_at }) => `${uuid} ${dropped_at}`}
              onOpen={({ uuid }) => onOpen(uuid)}
              empty={
                <Empty title="No dropped events">
                  Invalid events, such as events without a name or a distinct ID, are listed here with the reason. Data
                  that Cairn does not store, such as session recordings, is only counted.
                </Empty>
              }
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
      <DroppedCounts />
    </section>
  );
}

function DroppedCounts() {
  const status = useResource(getStatus, []);
  return (
    <Loaded resource={status}>
      {({ ingest }) =>
        Object.keys(ingest.dropped).length > 0 && (
          <div class="card stack-s">
            <h3>Dropped events in all projects, by reason</h3>
            <ul class="drops">
              {Object.entries(ingest.dropped).map(([reason, count]) => (
                <li key={reason}>
                  <span>{reasonText(reason)}</span>
                  <b>{formatNumber(count)}</b>
                </li>
              ))}
            </ul>
          </div>
        )
      }
    </Loaded>
  );
}

const WARNING_COLUMNS: readonly Column<IngestionWarning>[] = [
  { id: 'time', title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} /> },
  { id: 'type', title: 'Warning', cell: ({ type }) => warningText(type) },
  {
    id: 'details',
    title: 'Details',
    isWide: true,
    cell: ({ details }) => <code class="truncate">{JSON.stringify(details)}</code>,
  },
];

function Warnings() {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const warnings = useResource((signal) => listWarnings(id, { limit: PAGE_SIZE, offset }, signal), [id, offset]);
  return (
    <section class="stack-s" aria-label="Ingestion warnings">
      <h2>Ingestion warnings</h2>
      <Loaded resource={warnings}>
        {({ count, results }) => (
          <>
            <Table
              label="Ingestion warnings"
              columns={WARNING_COLUMNS}
              rows={results}
              rowKey={(warning) => warning.id}
              empty={
                <Empty title="No ingestion warnings">
                  Problems with ingested events, such as refused merges and invalid timestamps, are listed here.
                </Empty>
              }
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
    </section>
  );
}
