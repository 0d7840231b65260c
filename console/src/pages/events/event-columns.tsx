import type { LiveEvent } from '../../api/events.ts';
import { EventName } from '../../components/names.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { ValueText } from '../../components/value-text.tsx';
import { propertyLabel } from '../../lib/friendly-names.ts';
import { originOf } from './event-list.ts';

const FIRST: readonly Column<LiveEvent>[] = [
  { id: 'time', title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} as="time" /> },
  {
    id: 'event',
    title: 'Event',
    cell: ({ event }) => (
      <span class="truncate live-name">
        <EventName name={event} />
      </span>
    ),
  },
];

const ORIGIN: Column<LiveEvent> = {
  id: 'origin',
  title: 'URL or library',
  isWide: true,
  cell: (event) => <span class="truncate muted">{originOf(event)}</span>,
};

/** At the end of the row, and no wider than the name: a click anywhere else opens the event. */
const PERSON: Column<LiveEvent> = {
  id: 'person',
  title: 'Person',
  cell: (event) => (
    <span class="live-person">
      <PersonLink id={event.person_id ?? event.distinct_id} name={nameOf(event)} />
    </span>
  ),
};

function nameOf({ person, distinct_id }: LiveEvent): string {
  const name = person?.properties['email'] ?? person?.properties['name'] ?? person?.properties['username'];
  return typeof name === 'string' ? name : distinct_id;
}

const propertyColumn = (key: string): Column<LiveEvent> => ({
  id: `property ${key}`,
  title: propertyLabel(key),
  cell: ({ properties }) => (
    <span class="truncate">{properties[key] !== undefined && <ValueText value={properties[key]} />}</span>
  ),
});

/** Chosen properties take the place of the URL. */
export const columnsFor = (properties: readonly string[]): readonly Column<LiveEvent>[] => [
  ...FIRST,
  ...(properties.length === 0 ? [ORIGIN] : properties.map(propertyColumn)),
  PERSON,
];
