/** One builder for every kind of question. */
import './builder.css';
import { DateRange } from '../../../components/date-range.tsx';
import { Checkbox, Select, TextField } from '../../../components/field.tsx';
import { PropertyFilters } from '../../../components/property-filters.tsx';
import { DISPLAY_OPTIONS, INTERVAL_OPTIONS } from '../labels.ts';
import { hasBreakdown, hasCompare, hasInterval, type Question } from '../question.ts';
import { BreakdownField } from './breakdown-field.tsx';
import { FunnelControls, PathControls, RetentionControls } from './kind-options.tsx';
import { SeriesList } from './series-list.tsx';

export interface BuilderProps {
  question: Question;
  onChange(question: Question): void;
}

export function Builder({ question, onChange }: BuilderProps) {
  const put = (changes: Partial<Question>): void => onChange({ ...question, ...changes });
  const { kind, rest } = question;
  return (
    <section class="builder" aria-label="The question">
      {kind === 'retention' && (
        <RetentionControls
          question={question}
          onSeries={(series) => put({ series })}
          onChange={(retention) => put({ retention })}
        />
      )}
      {kind === 'paths' && <PathControls value={question.paths} onChange={(paths) => put({ paths })} />}
      {kind !== 'retention' && kind !== 'paths' && (
        <SeriesList question={question} onChange={(series) => put({ series })} />
      )}
      {kind === 'funnel' && <FunnelControls value={question.funnel} onChange={(funnel) => put({ funnel })} />}
      {kind === 'trends' && question.series.length > 1 && (
        <TextField
          label="Formula"
          placeholder="A / B"
          hint="Arithmetic over the events by their letters; empty for the events themselves."
          value={question.formula}
          onInput={(formula) => put({ formula })}
        />
      )}
      <div class="builder-part">
        <h3>For all of it</h3>
        {rest['properties'] === undefined ? (
          <PropertyFilters value={question.filters} onChange={(filters) => put({ filters })} addLabel="Only where…" />
        ) : null}
        <div class="row-end">
          {hasBreakdown(question) && (
            <BreakdownField kind={kind} value={question.breakdown} onChange={(breakdown) => put({ breakdown })} />
          )}
          <div class="beside-fields">
            <Checkbox
              label="Leave out test accounts"
              checked={question.withoutTestAccounts}
              onChange={(withoutTestAccounts) => put({ withoutTestAccounts })}
            />
          </div>
        </div>
      </div>
      <Kept rest={rest} />
    </section>
  );
}

/** What came from elsewhere and has no control here is named, so that nobody wonders about the numbers. */
function Kept({ rest }: { rest: Question['rest'] }) {
  const names = Object.keys(rest);
  if (names.length === 0) return null;
  return (
    <p class="soft small">
      Also part of the question, and kept as it is: <code>{names.join(', ')}</code>. The API can change it.
    </p>
  );
}

/** When, how finely, and as what: above the picture, since these are changed most. */
export function ViewControls({ question, onChange }: BuilderProps) {
  const put = (changes: Partial<Question>): void => onChange({ ...question, ...changes });
  const { kind } = question;
  return (
    <div class="row-end">
      {kind === 'retention' ? (
        <TextField
          label="Until"
          type="date"
          value={question.range.to?.slice(0, 10) ?? ''}
          onInput={(to) => put({ range: { ...question.range, to: to === '' ? null : to } })}
        />
      ) : (
        <DateRange value={question.range} onChange={(range) => put({ range })} />
      )}
      {hasInterval(question) && (
        <Select
          label="By"
          value={question.interval}
          options={INTERVAL_OPTIONS}
          onChange={(interval) => put({ interval })}
        />
      )}
      {kind === 'trends' && (
        <Select
          label="Show as"
          value={question.display}
          options={DISPLAY_OPTIONS}
          onChange={(display) => put({ display })}
        />
      )}
      {hasCompare(question) && (
        <div class="beside-fields">
          <Checkbox
            label="Compare with the time before"
            checked={question.compare}
            onChange={(compare) => put({ compare })}
          />
        </div>
      )}
    </div>
  );
}
