import { useState } from 'preact/hooks';
import { findEventNames } from '../../api/definitions.ts';
import type { LiveEvent } from '../../api/events.ts';
import { Button } from '../../components/button.tsx';
import { Combobox } from '../../components/combobox.tsx';
import { TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { PropertyFilters } from '../../components/property-filters.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { Badge, Empty, ErrorNote, Skeleton } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { type PropertyFilter, toQuery } from '../../lib/filters.ts';
import { countOf, formatNumber } from '../../lib/format.ts';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useJsonQueryState, useQueryState } from '../../lib/use-query-state.ts';
import { originOf } from './event-list.ts';
import { type Live, type LiveFilter, useLive } from './use-live-events.ts';

const COLUMNS: readonly Column<LiveEvent>[] = [
  { id: 'time', title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} as="time" /> },
  { id: 'event', title: 'Event', cell: ({ event }) => <span class="cut live-name">{event}</span> },
  {
    id: 'person',
    title: 'Person',
    cell: (event) => <PersonLink id={event.person_id ?? event.distinct_id} name={nameOf(event)} />,
  },
  {
    id: 'origin',
    title: 'URL or library',
    isWide: true,
    cell: (event) => <span class="cut soft">{originOf(event)}</span>,
  },
];

/** An e-mail or a name says more than an id, where the list knows one. */
function nameOf({ person, distinct_id }: LiveEvent): string {
  const known = person?.properties['email'] ?? person?.properties['name'] ?? person?.properties['username'];
  return typeof known === 'string' ? known : distinct_id;
}

const NO_FILTERS: PropertyFilter[] = [];

export function StreamTable({ openId, onOpen }: { openId: string; onOpen(uuid: string): void }) {
  const project = useProject();
  const [isPaused, setPaused] = useState(false);
  const [event, setEvent] = useQueryState('event');
  const [person, setPerson] = useQueryState('person');
  const [filters, setFilters] = useJsonQueryState<PropertyFilter[]>('properties', NO_FILTERS);
  const filter: LiveFilter = {
    event: useDebounced(event.trim(), 300),
    distinct_id: useDebounced(person.trim(), 300),
    properties: useDebounced(toQuery(filters), 300),
  };
  const live = useLive(project.id, filter, isPaused);
  const isFiltered = filter.event !== '' || filter.distinct_id !== '' || filter.properties !== undefined;
  return (
    <>
      <div class="live-filters">
        <Combobox
          label="Event"
          placeholder="any"
          value={event}
          onChange={setEvent}
          suggest={async (text, signal) => (await findEventNames(project.id, text, signal)).map((value) => ({ value }))}
          inputs={[project.id]}
        />
        <TextField label="Distinct id" placeholder="anybody" value={person} onInput={setPerson} />
      </div>
      <PropertyFilters value={filters} onChange={setFilters} owners={['event']} addLabel="Filter by a property" />
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
            empty={isFiltered ? <NothingFits /> : <NothingYet projectId={project.id} />}
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
        {isPaused ? 'Go on' : 'Pause'}
      </Button>
      {isPaused ? (
        <Badge tone="warn">Paused{live.held > 0 && `, ${formatNumber(live.held)} new`}</Badge>
      ) : live.isConnected ? (
        <Badge tone="good">Live</Badge>
      ) : (
        <Badge>Connecting…</Badge>
      )}
      <span class="live-rate push">
        <Sparkline values={live.rate} label={`${countOf(perMinute, 'event')} in the last minute`} />
        {formatNumber(perMinute)} in the last minute
      </span>
      {live.missed > 0 && (
        <span class="soft small">{countOf(live.missed, 'event')} came too fast to be shown; they are stored.</span>
      )}
    </div>
  );
}

const NothingYet = ({ projectId }: { projectId: number }) => (
  <Empty
    title="No events yet"
    action={<Link to={pathTo('welcome', { project: projectId }) ?? '/'}>Connect your product</Link>}
  >
    Put the snippet into a page or use an SDK, and every event shows up here within a second.
  </Empty>
);

const NothingFits = () => (
  <Empty title="No event fits these filters">
    Names and ids are compared exactly. New events that fit appear here as they come.
  </Empty>
);
