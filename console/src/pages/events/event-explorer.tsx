/** Events by date range and filters, newest first, with live ones on top. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { findEventNames } from '../../api/definitions.ts';
import { eventsCsvPath, type LiveEvent } from '../../api/events.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { Button } from '../../components/button.tsx';
import { Combobox } from '../../components/combobox.tsx';
import { CsvLink } from '../../components/csv-link.tsx';
import { DateRange } from '../../components/date-range.tsx';
import { TextField } from '../../components/field.tsx';
import { FilterChips } from '../../components/filter-chips.tsx';
import { Link } from '../../components/link.tsx';
import { Badge, Empty, ErrorNote, Skeleton } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { formatDay, knownZone } from '../../lib/dates.ts';
import { type AnyFilter, filtersToQuery } from '../../lib/filters.ts';
import { EVENT_NAMES } from '../../lib/friendly-names.ts';
import { localDay } from '../../lib/local-dates.ts';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { pathTo } from '../../lib/route-table.ts';
import { changeQuery } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useJsonQueryState, useQueryState } from '../../lib/use-query-state.ts';
import { ColumnChoice } from './column-choice.tsx';
import { columnsFor } from './event-columns.tsx';
import { boundsOf } from './event-list.ts';
import { type Live, type LiveFilter, useLiveEvents } from './use-live-events.ts';

const NO_FILTERS: AnyFilter[] = [];
const NO_COLUMNS: string[] = [];
const MAX_CSV_ROWS = 100_000;

export function EventExplorer({ openId, onOpen }: { openId: string; onOpen(uuid: string): void }) {
  const { id, timezone } = useProject();
  const [isPaused, setPaused] = useState(false);
  const [columns, setColumns] = useJsonQueryState<string[]>('columns', NO_COLUMNS);
  const { filter, controls } = useEventFilter();
  const live = useLiveEvents(id, filter, isPaused);
  const { before, ...rest } = filter;
  const isFiltered = before !== undefined || Object.values(rest).some((value) => value !== '' && value !== undefined);
  return (
    <>
      {controls}
      <div class="live-head">
        {before === undefined && <LiveState live={live} isPaused={isPaused} onPause={setPaused} />}
        <div class="row push">
          <ColumnChoice value={columns} onChange={setColumns} />
          <CsvLink href={eventsCsvPath(id, { ...filter, limit: MAX_CSV_ROWS })} name="events.csv" />
        </div>
      </div>
      {live.error !== undefined && <ErrorNote error={live.error} onRetry={live.reload} />}
      {live.events.length === 0 && live.loading ? (
        <Skeleton lines={8} />
      ) : (
        <div class="live-table">
          <Table
            label="Events, newest first"
            columns={columnsFor(columns)}
            rows={live.events}
            rowKey={(event: LiveEvent) => event.id}
            sectionOf={({ timestamp }) => formatDay(timestamp, timezone)}
            onOpen={(event) => onOpen(event.id)}
            openKey={openId === '' ? null : openId}
            empty={isFiltered ? <NoResults isLive={before === undefined} /> : <NoEvents projectId={id} />}
          />
        </div>
      )}
      <OlderEvents live={live} />
    </>
  );
}

/** The fields above the list, and what they mean for the API. Everything is in the URL. */
function useEventFilter(): { filter: LiveFilter; controls: ComponentChildren } {
  const { id, timezone } = useProject();
  const [event, setEvent] = useQueryState('event');
  const [person, setPerson] = useQueryState('person');
  const [from] = useQueryState('date_from', 'all');
  const [to] = useQueryState('date_to');
  const [filters, setFilters] = useJsonQueryState<AnyFilter[]>('properties', NO_FILTERS);
  const range = { from, to: to || null };
  const zone = knownZone(timezone);
  const { after, before } = boundsOf(range, localDay(timezone), zone);
  const filter: LiveFilter = {
    event: useDebounced(event.trim(), 300),
    distinct_id: useDebounced(person.trim(), 300),
    properties: useDebounced(filtersToQuery(filters), 300),
    after,
    before,
  };
  const controls = (
    <div class="stack-s">
      <div class="live-filters">
        <Combobox
          label="Event"
          placeholder="All events"
          names={EVENT_NAMES}
          value={event}
          onChange={setEvent}
          suggest={async (text, signal) => (await findEventNames(id, text, signal)).map((value) => ({ value }))}
          inputs={[id]}
        />
        <TextField label="Distinct ID" placeholder="All persons" value={person} onInput={setPerson} />
        <DateRange
          value={range}
          onChange={(next) =>
            changeQuery({ date_from: next.from === 'all' ? null : next.from, date_to: next.to }, { replace: true })
          }
        />
      </div>
      <FilterChips value={filters} onChange={setFilters} />
    </div>
  );
  return { filter, controls };
}

function LiveState({ live, isPaused, onPause }: { live: Live; isPaused: boolean; onPause(paused: boolean): void }) {
  const perMinute = live.rate.reduce((sum, count) => sum + count, 0);
  return (
    <>
      <Button small onClick={() => onPause(!isPaused)} aria-pressed={isPaused}>
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      {isPaused ? (
        <Badge tone="warn">Paused{live.held > 0 && `, ${pluralize(live.held, 'new event')}`}</Badge>
      ) : live.isConnected ? (
        <Badge tone="good">Live</Badge>
      ) : (
        <Badge>Connecting…</Badge>
      )}
      <span class="live-rate">
        <Sparkline values={live.rate} label={`${pluralize(perMinute, 'event')} in the last minute`} />
        {pluralize(perMinute, 'event')} in the last minute
      </span>
      {live.skipped > 0 && (
        <span class="muted small">
          {pluralize(live.skipped, 'event')} not shown because they arrived too fast. They are stored.
        </span>
      )}
    </>
  );
}

function OlderEvents({ live: { events, loadOlder, isLoadingOlder, olderError } }: { live: Live }) {
  if (events.length === 0) return null;
  return (
    <div class="row">
      {loadOlder && (
        <Button busy={isLoadingOlder} onClick={loadOlder}>
          Load older events
        </Button>
      )}
      <span class="muted small" role="status">
        {loadOlder
          ? `${formatNumber(events.length)} newest events shown.`
          : `All ${pluralize(events.length, 'event')} shown.`}
      </span>
      {olderError !== undefined && loadOlder && <ErrorNote error={olderError} onRetry={loadOlder} />}
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

const NoResults = ({ isLive }: { isLive: boolean }) => (
  <Empty title="No matching events">
    Event names and distinct IDs must match exactly. Try a longer date range or fewer filters.
    {isLive && ' New matching events appear here automatically.'}
  </Empty>
);
