/** Events that were not stored, and why: set aside, dropped, or stored with something odd about them. */

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
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { formatNumber } from '../../lib/format.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { reasonText, warningText } from './reasons.ts';

const LIMIT = 25;

export function NotStored({ onOpen }: { onOpen(uuid: string): void }) {
  return (
    <>
      <Lookup onOpen={onOpen} />
      <DeadLetters onOpen={onOpen} />
      <Drops onOpen={onOpen} />
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
        label="What became of an event?"
        placeholder="its uuid, such as 0193f0a2-…"
        value={uuid}
        onInput={setUuid}
        spellcheck={false}
      />
      <Button type="submit">Find out</Button>
    </form>
  );
}

function DeadLetters({ onOpen }: { onOpen(uuid: string): void }) {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const letters = useResource((signal) => listDeadLetters(id, { limit: LIMIT, offset }, signal), [id, offset]);
  const replay = useAction(async (letter: DeadLetter) => {
    await replayDeadLetter(id, letter.id).then(() => toast('It is being processed again.'), toastError);
    letters.reload();
  });
  const columns: Column<DeadLetter>[] = [
    { id: 'failed', title: 'Failed', cell: ({ failed_at }) => <Time at={failed_at} /> },
    {
      id: 'event',
      title: 'Event',
      cell: ({ event }) => <span class="cut live-name">{event ?? 'without a name'}</span>,
    },
    {
      id: 'person',
      title: 'Person',
      isWide: true,
      cell: (letter) => <span class="cut">{letter.distinct_id ?? ''}</span>,
    },
    { id: 'error', title: 'Why', cell: ({ error }) => error },
    {
      id: 'replay',
      title: '',
      cell: (letter) => (
        <Button small busy={replay.busy} onClick={() => void replay.run(letter)}>
          Process again
        </Button>
      ),
    },
  ];
  return (
    <section class="stack-s" aria-label="Dead letters">
      <h2>Could not be processed</h2>
      <Loaded resource={letters}>
        {({ count, results }) => (
          <>
            <Table
              label="Events that could not be processed"
              columns={columns}
              rows={results}
              rowKey={(letter) => letter.id}
              onOpen={(letter) => onOpen(letter.event_uuid)}
              empty={
                <Empty title="None">
                  When an event breaks something inside of Cairn, it is set aside here with the error, and can be
                  processed again after an upgrade.
                </Empty>
              }
            />
            <Pager offset={offset} limit={LIMIT} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
    </section>
  );
}

const DROPPED_COLUMNS: readonly Column<DroppedEvent>[] = [
  { id: 'time', title: 'Dropped', cell: ({ dropped_at }) => <Time at={dropped_at} /> },
  { id: 'reason', title: 'Why, and what to do', cell: ({ reason }) => reasonText(reason) },
  { id: 'uuid', title: 'Event', isWide: true, cell: ({ uuid }) => <code class="cut">{uuid}</code> },
];

function Drops({ onOpen }: { onOpen(uuid: string): void }) {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const dropped = useResource((signal) => listDropped(id, { limit: LIMIT, offset }, signal), [id, offset]);
  return (
    <section class="stack-s" aria-label="Dropped events">
      <h2>Dropped</h2>
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
                <Empty title="None">
                  Events without a name or a distinct id, and others that make no sense, are listed here with the
                  reason. What browsers send by the thousand and nobody keeps, such as recordings, is only counted.
                </Empty>
              }
            />
            <Pager offset={offset} limit={LIMIT} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
      <Counts />
    </section>
  );
}

function Counts() {
  const status = useResource(getStatus, []);
  return (
    <Loaded resource={status}>
      {({ ingest }) =>
        Object.keys(ingest.dropped).length > 0 && (
          <div class="card stack-s">
            <h3>Of all projects, by reason</h3>
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
  { id: 'type', title: 'What was odd', cell: ({ type }) => warningText(type) },
  {
    id: 'details',
    title: 'Details',
    isWide: true,
    cell: ({ details }) => <code class="cut">{JSON.stringify(details)}</code>,
  },
];

function Warnings() {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const warnings = useResource((signal) => listWarnings(id, { limit: LIMIT, offset }, signal), [id, offset]);
  return (
    <section class="stack-s" aria-label="Warnings">
      <h2>Warnings</h2>
      <Loaded resource={warnings}>
        {({ count, results }) => (
          <>
            <Table
              label="Ingestion warnings"
              columns={WARNING_COLUMNS}
              rows={results}
              rowKey={(warning) => warning.id}
              empty={
                <Empty title="None">
                  Merges that were refused, times that made no sense and the like are listed here.
                </Empty>
              }
            />
            <Pager offset={offset} limit={LIMIT} count={count} onChange={setOffset} />
          </>
        )}
      </Loaded>
    </section>
  );
}
