import { useState } from 'preact/hooks';
import { findEventNames } from '../../api/definitions.ts';
import type { LiveEvent } from '../../api/events.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { Button } from '../../components/button.tsx';
import { Combobox } from '../../components/combobox.tsx';
import { TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { EventName } from '../../components/names.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { PropertyFilters } from '../../components/property-filters.tsx';
import { Badge, Empty, ErrorNote, Skeleton } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { filtersToQuery, type PropertyFilter } from '../../lib/filters.ts';
import { EVENT_NAMES } from '../../lib/friendly-names.ts';
import { pluralize } from '../../lib/numbers.ts';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useJsonQueryState, useQueryState } from '../../lib/use-query-state.ts';
import { originOf } from './event-list.ts';
import { type Live, type LiveFilter, useLiveEvents } from './use-live-events.ts';

const COLUMNS: readonly Column<LiveEvent>[] = [
  { id: 'time', title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} as="recent" /> },
  {
    id: 'event',
    title: 'Event',
    cell: ({ event }) => (
      <span class="truncate live-name">
        <EventName name={event} />
      </span>
    ),
  },
  {
    id: 'person',
    title: 'Person',
    cell: (event) => <PersonLink id={event.person_id ?? event.distinct_id} name={nameOf(event)} />,
  },
  {
    id: 'origin',
    title: 'URL or library',
    isWide: true,
    cell: (event) => <span class="truncate muted">{originOf(event)}</span>,
  },
];

function nameOf({ person, distinct_id }: LiveEvent): string {
  const name = person?.properties['email'] ?? person?.properties['name'] ?? person?.properties['username'];
  return typeof name === 'string' ? name : distinct_id;
}

const NO_FILTERS: PropertyFilter[] = [];

export function LiveTable({ openId, onOpen }: { openId: string; onOpen(uuid: string): void }) {
  const project = useProject();
  const [isPaused, setPaused] = useState(false);
  const [event, setEvent] = useQueryState('event');
  const [person, setPerson] = useQueryState('person');
  const [filters, setFilters] = useJsonQueryState<PropertyFilter[]>('properties', NO_FILTERS);
  const filter: LiveFilter = {
    event: useDebounced(event.trim(), 300),
    distinct_id: useDebounced(person.trim(), 300),
    properties: useDebounced(filtersToQuery(filters), 300),
  };
  const live = useLiveEvents(project.id, filter, isPaused);
  const isFiltered = filter.event !== '' || filter.distinct_id !== '' || filter.properties !== undefined;
  return (
    <>
      <div class="live-filters">
        <Combobox
          label="Event"
          placeholder="All events"
          names={EVENT_NAMES}
          value={event}
          onChange={setEvent}
          suggest={async (text, signal) => (await findEventNames(project.id, text, signal)).map((value) => ({ value }))}
          inputs={[project.id]}
        />
        <TextField label="Distinct ID" placeholder="All persons" value={person} onInput={setPerson} />
      </div>
      <PropertyFilters value={filters} onChange={setFilters} owners={['event']} addLabel="Add filter" />
      <Controls live={live} isPaused={isPaused} onPause={setPaused} />
      {live.error !== undefined && <ErrorNote error={live.error} onRetry={live.reload} />}
      {live.events.length === 0 && live.loading ? (
        <Skeleton lines={8} />
      ) : (
        <div class="live-table">
          <Table
            label="Events, newest first"
            columns={COLUMNS}
            rows={live.events}
            rowKey={({ id }) => id}
            onOpen={({ id }) => onOpen(id)}
            openKey={openId === '' ? null : openId}
            empty={isFiltered ? <NoResults /> : <NoEvents projectId={project.id} />}
          />
        </div>
      )}
    </>
  );
}

function Controls({ live, isPaused, onPause }: { live: Live; isPaused: boolean; onPause(paused: boolean): void }) {
  const perMinute = live.rate.reduce((sum, count) => sum + count, 0);
  return (
    <div class="live-head">
      <Button onClick={() => onPause(!isPaused)} aria-pressed={isPaused}>
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      {isPaused ? (
        <Badge tone="warn">Paused{live.held > 0 && `, ${pluralize(live.held, 'new event')}`}</Badge>
      ) : live.isConnected ? (
        <Badge tone="good">Live</Badge>
      ) : (
        <Badge>Connecting…</Badge>
      )}
      <span class="live-rate push">
        <Sparkline values={live.rate} label={`${pluralize(perMinute, 'event')} in the last minute`} />
        {pluralize(perMinute, 'event')} in the last minute
      </span>
      {live.skipped > 0 && (
        <span class="muted small">
          {pluralize(live.skipped, 'event')} not shown because they arrived too fast. They are stored.
        </span>
      )}
    </div>
  );
}

const NoEvents = ({ projectId }: { projectId: number }) => (
  <Empty
    title="No events yet"
    action={<Link to={pathTo('welcome', { project: projectId }) ?? '/'}>Install an SDK</Link>}
  >
    Install an SDK or add the HTML snippet. Events appear here within a second.
  </Empty>
);

const NoResults = () => (
  <Empty title="No matching events">
    Event names and distinct IDs must match exactly. New matching events appear here automatically.
  </Empty>
);
