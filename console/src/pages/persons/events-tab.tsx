import { findEventNames } from '../../api/definitions.ts';
import { type LiveEvent, listEvents } from '../../api/events.ts';
import { Combobox } from '../../components/combobox.tsx';
import { EventName } from '../../components/names.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatDay } from '../../lib/dates.ts';
import { EVENT_NAMES } from '../../lib/friendly-names.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { EventDetails } from '../events/event-details.tsx';
import { originOf } from '../events/event-list.ts';

const PAGE_SIZE = 100;

const COLUMNS: readonly Column<LiveEvent>[] = [
  { id: 'time', title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} as="time" /> },
  {
    id: 'event',
    title: 'Event',
    cell: ({ event }) => (
      <b class="truncate">
        <EventName name={event} />
      </b>
    ),
  },
  { id: 'origin', title: 'URL or library', cell: (event) => <span class="truncate muted">{originOf(event)}</span> },
  { id: 'id', title: 'Distinct ID', isWide: true, cell: (event) => <code class="truncate">{event.distinct_id}</code> },
];

interface EventsTabProps {
  /** Whose events. */
  of: Record<string, string>;
  /** Why there may be none. */
  hint: string;
}

export function EventsTab({ of, hint }: EventsTabProps) {
  const { id, timezone } = useProject();
  const [name] = useQueryState('event');
  const [open, setOpen] = useQueryState('open', '', { isStep: true });
  const [offset, setOffset] = useOffset();
  const event = useDebounced(name.trim(), 250);
  const events = useResource(
    (signal) => listEvents(id, { ...of, event, limit: PAGE_SIZE, offset }, signal),
    [id, JSON.stringify(of), event, offset],
  );
  return (
    <>
      <div class="event-filter">
        <Combobox
          label="Event"
          placeholder="All events"
          names={EVENT_NAMES}
          value={name}
          onChange={(text) => changeFilter({ event: text })}
          suggest={async (text, signal) => (await findEventNames(id, text, signal)).map((value) => ({ value }))}
          inputs={[id]}
        />
      </div>
      <Loaded resource={events}>
        {({ results, next }) => (
          <>
            <Table
              label="Events, newest first"
              columns={COLUMNS}
              rows={results}
              rowKey={(one) => one.id}
              sectionOf={({ timestamp }) => formatDay(timestamp, timezone)}
              onOpen={(one) => setOpen(one.id)}
              openKey={open === '' ? null : open}
              empty={
                <Empty title={event === '' ? 'No events' : 'No matching events'}>
                  {event === '' ? hint : 'Event names must match exactly.'}
                </Empty>
              }
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={null} hasNext={next !== null} onChange={setOffset} />
          </>
        )}
      </Loaded>
      {open !== '' && <EventDetails key={open} uuid={open} onClose={() => setOpen('')} />}
    </>
  );
}
