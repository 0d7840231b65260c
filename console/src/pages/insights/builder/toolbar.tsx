import { DateRange } from '../../../components/date-range.tsx';
import { Select, TextField } from '../../../components/field.tsx';
import { localDay } from '../../../lib/local-dates.ts';
import { useProject } from '../../../lib/session.ts';
import { DISPLAY_OPTIONS, FUNNEL_VIEW_OPTIONS, INTERVAL_OPTIONS } from '../labels.ts';
import { hasCompare, hasInterval, PERIODS, type Question } from '../question.ts';
import { MAX_PERIODS, MIN_PERIODS, periodsBetween, startOfPeriods } from '../retention-dates.ts';
import { CompareSelect } from './compare-select.tsx';

interface ToolbarProps {
  question: Question;
  onChange(question: Question): void;
}

/** How the chart is shown: dates, interval, chart type, comparison. */
export function Toolbar({ question, onChange }: ToolbarProps) {
  const update = (changes: Partial<Question>): void => onChange({ ...question, ...changes });
  const { kind, funnel } = question;
  return (
    <div class="toolbar">
      {kind === 'retention' ? (
        <RetentionDates question={question} onChange={update} />
      ) : (
        <DateRange hideLabel value={question.range} onChange={(range) => update({ range })} />
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
          hideLabel
          value={question.display}
          options={DISPLAY_OPTIONS}
          onChange={(display) => update({ display })}
        />
      )}
      {kind === 'funnel' && (
        <Select
          label="Chart type"
          hideLabel
          value={funnel.view}
          options={FUNNEL_VIEW_OPTIONS}
          onChange={(view) => update({ funnel: { ...funnel, view } })}
        />
      )}
      {hasCompare(question) && <CompareSelect question={question} onChange={update} />}
    </div>
  );
}

/** The API counts periods back from the end; people think of the first day. */
function RetentionDates({ question, onChange }: { question: Question; onChange(changes: Partial<Question>): void }) {
  const { timezone } = useProject();
  const { range, retention } = question;
  const end = range.to?.slice(0, 10) ?? localDay(timezone);
  const setStart = (start: string): void => {
    const count = periodsBetween(start, end, retention.period);
    onChange({ retention: { ...retention, count: Math.min(MAX_PERIODS, Math.max(MIN_PERIODS, count)) } });
  };
  return (
    <>
      <TextField
        label="Start date"
        type="date"
        value={startOfPeriods(end, retention.period, retention.count)}
        max={end}
        onInput={(start) => start !== '' && setStart(start)}
      />
      <TextField
        label="End date"
        type="date"
        value={end}
        onInput={(to) => onChange({ range: { ...range, to: to === '' ? null : to } })}
      />
      <Select
        label="Interval"
        value={retention.period}
        options={PERIODS.map((period) => ({ value: period, label: period }))}
        onChange={(period) => onChange({ retention: { ...retention, period } })}
      />
    </>
  );
}
