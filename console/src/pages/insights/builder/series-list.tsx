import type { GroupType } from '../../../api/groups.ts';
import { Button } from '../../../components/button.tsx';
import { Select } from '../../../components/field.tsx';
import { FilterChips } from '../../../components/filter-chips.tsx';
import { entityName, letterOf, MATH_OPTIONS } from '../labels.ts';
import { needsProperty, newSeries, type Question, type Series } from '../question.ts';
import { EventField } from './event-field.tsx';
import { PropertyField } from './property-field.tsx';

interface SeriesListProps {
  question: Question;
  groupTypes: readonly GroupType[];
  onChange(series: readonly Series[]): void;
}

/** The series of a trend or the steps of a funnel. */
export function SeriesList({ question: { kind, series }, groupTypes, onChange }: SeriesListProps) {
  const update = (at: number, next: Series | null): void =>
    onChange(series.flatMap((one, index) => (index !== at ? [one] : next === null ? [] : [next])));
  const move = (at: number, by: number): void => {
    const next = series.filter((_, index) => index !== at);
    next.splice(at + by, 0, series[at] ?? newSeries());
    onChange(next);
  };
  const isFunnel = kind === 'funnel';
  // The next step that lacks its event, once another one has got one.
  const emptyAt = isFunnel ? series.findIndex(({ event, action }) => event === '' && action === null) : -1;
  const chosen = JSON.stringify(series.map(({ event, action }) => action?.id ?? event));
  return (
    <div class="stack-s">
      <ol class="series-list">
        {series.map((one, at) => (
          <li key={at} class="series">
            <span class="series-letter">{isFunnel ? at + 1 : letterOf(at)}</span>
            <div class="series-fields">
              <EventField
                label={isFunnel ? `Step ${at + 1}` : `Event ${letterOf(at)}`}
                value={one}
                onChange={(entity) => update(at, { ...one, ...entity })}
                focusKey={at === emptyAt ? chosen : null}
              />
              {kind === 'trends' && (
                <MathFields series={one} groupTypes={groupTypes} onChange={(next) => update(at, next)} />
              )}
            </div>
            <span class="series-tools">
              {isFunnel && (
                <>
                  <ToolButton label={`Move step ${at + 1} up`} disabled={at === 0} onClick={() => move(at, -1)}>
                    ↑
                  </ToolButton>
                  <ToolButton
                    label={`Move step ${at + 1} down`}
                    disabled={at === series.length - 1}
                    onClick={() => move(at, 1)}
                  >
                    ↓
                  </ToolButton>
                </>
              )}
              {series.length > 1 && (
                <ToolButton label={`Remove ${entityName(one)}`} onClick={() => update(at, null)}>
                  ×
                </ToolButton>
              )}
            </span>
            <div class="series-filters">
              <FilterChips value={one.filters} onChange={(filters) => update(at, { ...one, filters })} />
            </div>
          </li>
        ))}
      </ol>
      {kind !== 'lifecycle' && (
        <div>
          <Button small onClick={() => onChange([...series, newSeries()])}>
            {isFunnel ? 'Add step' : 'Add series'}
          </Button>
        </div>
      )}
    </div>
  );
}

interface ToolProps {
  label: string;
  disabled?: boolean;
  onClick(): void;
  children: string;
}

const ToolButton = ({ label, disabled = false, onClick, children }: ToolProps) => (
  <Button kind="quiet" small aria-label={label} title={label} disabled={disabled} onClick={onClick}>
    {children}
  </Button>
);

interface MathFieldsProps {
  series: Series;
  groupTypes: readonly GroupType[];
  onChange(series: Series): void;
}

const UNIQUE_GROUP = 'unique_group';

function MathFields({ series, groupTypes, onChange }: MathFieldsProps) {
  const { math, mathGroup } = series;
  const value = math === UNIQUE_GROUP ? `${UNIQUE_GROUP}:${mathGroup ?? 0}` : math;
  const groups = groupTypes.map(({ group_type_index: index, group_type, name_plural }) => ({
    value: `${UNIQUE_GROUP}:${index}`,
    label: `Unique ${name_plural || `groups of ${group_type}`}`,
  }));
  const known = [...MATH_OPTIONS, ...groups];
  const choose = (key: string): void => {
    const [name = 'total', index] = key.split(':');
    onChange({ ...series, math: name, mathGroup: index === undefined ? null : Number(index) });
  };
  return (
    <>
      <Select
        label="Math"
        hideLabel
        value={value}
        options={known.some((one) => one.value === value) ? known : [...known, { value, label: math }]}
        onChange={choose}
      />
      {needsProperty(math) && (
        <PropertyField
          label="Math property"
          owner="number"
          value={series.mathProperty}
          onChange={(mathProperty) => onChange({ ...series, mathProperty })}
        />
      )}
    </>
  );
}
