import { Button } from '../../components/button.tsx';
import { Checkbox } from '../../components/field.tsx';
import { FilterChips } from '../../components/filter-chips.tsx';
import type { TargetType } from '../../lib/targets.ts';
import { EventField } from '../insights/builder/event-field.tsx';
import type { ChosenEvent, EventFilters } from './event-filters.ts';

const FILTER_TYPES: readonly TargetType[] = ['event', 'person', 'group'];

interface EventFilterFieldsProps {
  value: EventFilters;
  onChange(value: EventFilters): void;
}

/** Which events are sent or exported. */
export function EventFilterFields({ value, onChange }: EventFilterFieldsProps) {
  const { events, filters, withoutTestAccounts } = value;
  const put = (at: number, next: ChosenEvent | null): void =>
    onChange({ ...value, events: next === null ? events.toSpliced(at, 1) : events.with(at, next) });
  return (
    <>
      {events.length === 0 && <p class="muted">All events. Add some to get only those.</p>}
      {events.map((one, at) => (
        <div class="chosen-event" key={at}>
          <EventField
            label={`Event ${at + 1}`}
            value={one}
            onChange={(entity) => put(at, { ...one, ...entity })}
            focusKey={one.event === '' && one.action === null ? String(at) : null}
          />
          <Button kind="quiet" small aria-label={`Remove event ${at + 1}`} onClick={() => put(at, null)}>
            Remove
          </Button>
          <FilterChips value={one.filters} types={FILTER_TYPES} onChange={(own) => put(at, { ...one, filters: own })} />
        </div>
      ))}
      <div>
        <Button
          small
          onClick={() => onChange({ ...value, events: [...events, { event: '', action: null, filters: [] }] })}
        >
          Add event or action
        </Button>
      </div>
      <fieldset class="plain stack-s">
        <legend class="label">Filters of all of them</legend>
        <FilterChips value={filters} types={FILTER_TYPES} onChange={(next) => onChange({ ...value, filters: next })} />
      </fieldset>
      <Checkbox
        label="Filter out internal and test users"
        checked={withoutTestAccounts}
        onChange={(next) => onChange({ ...value, withoutTestAccounts: next })}
      />
    </>
  );
}
