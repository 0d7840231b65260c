/** The latest events that fit the steps of an action, also before it is saved. */
import type { ActionStep } from '../../api/actions.ts';
import { type Event, listEvents } from '../../api/events.ts';
import { EventName } from '../../components/names.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useResource } from '../../lib/use-resource.ts';
import { originOf } from '../events/event-list.ts';
import { eventQueryOf } from './steps.ts';

const SHOWN = 20;
const DEBOUNCE_MS = 400;

const COLUMNS: readonly Column<Event>[] = [
  { id: 'time', title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} as="relative" /> },
  {
    id: 'event',
    title: 'Event',
    cell: ({ event, elements }) => (
      <span class="truncate">
        <EventName name={event} />
        {elements[0]?.text ? <span class="muted"> {elements[0].text}</span> : null}
      </span>
    ),
  },
  {
    id: 'origin',
    title: 'URL or library',
    isWide: true,
    cell: (event) => <span class="truncate muted">{originOf(event)}</span>,
  },
  {
    id: 'person',
    title: 'Person',
    isExtraWide: true,
    cell: ({ distinct_id }) => <PersonLink id={distinct_id} name={distinct_id} />,
  },
];

export function MatchingEvents({ steps }: { steps: readonly ActionStep[] }) {
  const { id } = useProject();
  const queries = useDebounced(
    JSON.stringify(steps.filter(({ event }) => event !== '').map(eventQueryOf)),
    DEBOUNCE_MS,
  );
  const found = useResource(
    async (signal) => {
      const asked = JSON.parse(queries) as ReturnType<typeof eventQueryOf>[];
      const lists = await Promise.all(asked.map((query) => listEvents(id, { ...query, limit: SHOWN }, signal)));
      return latest(lists.flatMap(({ results }) => results));
    },
    [id, queries],
  );
  return (
    <section class="card stack" aria-label="Matching events" aria-busy={found.loading}>
      <h2>Matching events</h2>
      <Loaded resource={found}>
        {(events) => (
          <Table
            label="Latest matching events"
            columns={COLUMNS}
            rows={events}
            rowKey={(event) => event.id}
            empty={
              queries === '[]' ? (
                <Empty title="No event selected">Select an event to see what matches.</Empty>
              ) : (
                <Empty title="No matching events">
                  No stored event fits. Remove a condition, or try another value.
                </Empty>
              )
            }
          />
        )}
      </Loaded>
    </section>
  );
}

/** An event can fit several steps. */
const latest = (events: readonly Event[]): Event[] =>
  [...new Map(events.map((event) => [event.id, event])).values()]
    .sort((a, b) => b.timestamp.localeCompare(a.timestamp))
    .slice(0, SHOWN);
