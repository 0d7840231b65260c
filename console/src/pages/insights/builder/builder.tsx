import './builder.css';
import { DateRange } from '../../../components/date-range.tsx';
import { Checkbox, Select, TextField } from '../../../components/field.tsx';
import { PropertyFilters } from '../../../components/property-filters.tsx';
import { DISPLAY_OPTIONS, INTERVAL_OPTIONS } from '../labels.ts';
import { hasBreakdown, hasCompare, hasInterval, type Question } from '../question.ts';
import { BreakdownField } from './breakdown-field.tsx';
import { FunnelControls, PathControls, RetentionControls } from './kind-options.tsx';
import { SeriesList } from './series-list.tsx';

interface BuilderProps {
  question: Question;
  onChange(question: Question): void;
}

export function Builder({ question, onChange }: BuilderProps) {
  const update = (changes: Partial<Question>): void => onChange({ ...question, ...changes });
  const { kind, rest } = question;
  return (
    <section class="builder" aria-label="Query">
      {kind === 'retention' && (
        <RetentionControls
          question={question}
          onSeries={(series) => update({ series })}
          onChange={(retention) => update({ retention })}
        />
      )}
      {kind === 'paths' && <PathControls value={question.paths} onChange={(paths) => update({ paths })} />}
      {kind !== 'retention' && kind !== 'paths' && (
        <SeriesList question={question} onChange={(series) => update({ series })} />
      )}
      {kind === 'funnel' && <FunnelControls value={question.funnel} onChange={(funnel) => update({ funnel })} />}
      {kind === 'trends' && question.series.length > 1 && (
        <TextField
          label="Formula"
          placeholder="A / B"
          hint="Combine series by their letters. Leave empty to show the series themselves."
          value={question.formula}
          onInput={(formula) => update({ formula })}
        />
      )}
      <div class="builder-part">
        <h3>Filters and breakdown</h3>
        {rest['properties'] === undefined ? (
          <PropertyFilters value={question.filters} onChange={(filters) => update({ filters })} addLabel="Add filter" />
        ) : null}
        <div class="row-end">
          {hasBreakdown(question) && (
            <BreakdownField kind={kind} value={question.breakdown} onChange={(breakdown) => update({ breakdown })} />
          )}
          <div class="beside-fields">
            <Checkbox
              label="Filter out internal and test users"
              checked={question.withoutTestAccounts}
              onChange={(withoutTestAccounts) => update({ withoutTestAccounts })}
            />
          </div>
        </div>
      </div>
      <OtherFields rest={rest} />
    </section>
  );
}

/** Names the fields without a control, because they affect the numbers. */
function OtherFields({ rest }: { rest: Question['rest'] }) {
  const names = Object.keys(rest);
  if (names.length === 0) return null;
  return (
    <p class="muted small">
      Also part of this query: <code>{names.join(', ')}</code>. Change these through the API.
    </p>
  );
}

export function ViewControls({ question, onChange }: BuilderProps) {
  const update = (changes: Partial<Question>): void => onChange({ ...question, ...changes });
  const { kind } = question;
  return (
    <div class="row-end">
      {kind === 'retention' ? (
        <TextField
          label="End date"
          type="date"
          value={question.range.to?.slice(0, 10) ?? ''}
          onInput={(to) => update({ range: { ...question.range, to: to === '' ? null : to } })}
        />
      ) : (
        <DateRange value={question.range} onChange={(range) => update({ range })} />
      )}
      {hasInterval(question) && (
        <Select
          label="Interval"
          value={question.interval}
          options={INTERVAL_OPTIONS}
          onChange={(interval) => update({ interval })}
        />
      )}
      {kind === 'trends' && (
        <Select
          label="Chart type"
          value={question.display}
          options={DISPLAY_OPTIONS}
          onChange={(display) => update({ display })}
        />
      )}
      {hasCompare(question) && (
        <div class="beside-fields">
          <Checkbox
            label="Compare to previous period"
            checked={question.compare}
            onChange={(compare) => update({ compare })}
          />
        </div>
      )}
    </div>
  );
}
