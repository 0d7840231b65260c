import { Button } from '../../../components/button.tsx';
import { Select } from '../../../components/field.tsx';
import { PropertyFilters } from '../../../components/property-filters.tsx';
import { eventName, letterOf, MATH_OPTIONS } from '../labels.ts';
import { needsProperty, newSeries, type Question, type Series } from '../question.ts';
import { EventField } from './event-field.tsx';
import { PropertyField } from './property-field.tsx';

interface SeriesListProps {
  question: Question;
  onChange(series: readonly Series[]): void;
}

/** The series of a trend or the steps of a funnel. */
export function SeriesList({ question: { kind, series }, onChange }: SeriesListProps) {
  const update = (at: number, next: Series | null): void =>
    onChange(series.flatMap((one, index) => (index !== at ? [one] : next === null ? [] : [next])));
  const move = (at: number, by: number): void => {
    const next = series.filter((_, index) => index !== at);
    next.splice(at + by, 0, series[at] ?? newSeries());
    onChange(next);
  };
  const isFunnel = kind === 'funnel';
  return (
    <div class="stack-s">
      <ol class="series-list">
        {series.map((one, at) => (
          <li key={at} class="series">
            <span class="series-letter">{isFunnel ? at + 1 : letterOf(at)}</span>
            <div class="series-fields">
              <EventField
                label={isFunnel ? `Step ${at + 1}` : `Event ${letterOf(at)}`}
                value={one.event}
                onChange={(event) => update(at, { ...one, event })}
              />
              {kind === 'trends' && <MathFields series={one} onChange={(next) => update(at, next)} />}
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
                <ToolButton label={`Remove ${eventName(one.event)}`} onClick={() => update(at, null)}>
                  ×
                </ToolButton>
              )}
            </span>
            <div class="series-filters">
              <PropertyFilters
                value={one.filters}
                onChange={(filters) => update(at, { ...one, filters })}
                addLabel="Add filter"
              />
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

function MathFields({ series, onChange }: { series: Series; onChange(series: Series): void }) {
  return (
    <>
      <Select
        label="Math"
        hideLabel
        value={series.math}
        options={
          MATH_OPTIONS.some(({ value }) => value === series.math)
            ? MATH_OPTIONS
            : [...MATH_OPTIONS, { value: series.math, label: series.math }]
        }
        onChange={(math) => onChange({ ...series, math })}
      />
      {needsProperty(series.math) && (
        <PropertyField
          label="Math property"
          owner="event"
          value={series.mathProperty}
          onChange={(mathProperty) => onChange({ ...series, mathProperty })}
        />
      )}
    </>
  );
}
