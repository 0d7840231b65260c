import { type Backtest, backtestAlert } from '../../api/alerts.ts';
import { Chart } from '../../charts/chart.tsx';
import type { Annotation } from '../../charts/chart-data.ts';
import { Button } from '../../components/button.tsx';
import { Banner, Empty, Loaded } from '../../components/states.tsx';
import { formatDateTime } from '../../lib/dates.ts';
import { pluralize } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useResource } from '../../lib/use-resource.ts';
import { type AlertDraft, isOfNow, missingIn, ruleOf } from './draft.ts';

interface BacktestChartProps {
  draft: AlertDraft;
  /** Of the insight. */
  kind: string;
  onSuggestion(suggestion: Backtest['suggestion']): void;
}

const WEEKS = 13;
/** More often than this, people stop looking. */
const MAX_A_WEEK = 7;
/** Wait for the end of typing. */
const DELAY_MS = 400;

/** When the alert of the form would have fired in the last 90 days. */
export function BacktestChart({ draft, kind, onSuggestion }: BacktestChartProps) {
  const { id } = useProject();
  const missing = missingIn(draft, kind);
  const request = useDebounced(missing === null ? JSON.stringify(ruleOf(draft, kind)) : '', DELAY_MS);
  const isTested = !isOfNow(draft, kind) && request !== '';
  const test = useResource(
    isTested ? (signal) => backtestAlert(id, { ...JSON.parse(request), weeks: WEEKS }, signal) : null,
    [id, request, isTested],
  );
  if (isOfNow(draft, kind))
    return <Empty title="Nothing to test">Only what is now is known of it, nothing of the past.</Empty>;
  if (missing !== null) return <Empty title="When would it have fired?">{missing}</Empty>;
  return <Loaded resource={test}>{(found) => <Found test={found} onSuggestion={onSuggestion} />}</Loaded>;
}

function Found({ test, onSuggestion }: { test: Backtest } & Pick<BacktestChartProps, 'onSuggestion'>) {
  const { timezone } = useProject();
  const { would_fire: fires, starts, values, bounds, suggestion } = test;
  const title = (at: string): string => formatDateTime(at, timezone);
  const marks: Annotation[] = fires.flatMap(({ from, peak }) => {
    const tick = starts.findIndex((start) => Date.parse(start) >= Date.parse(from));
    return tick === -1 ? [] : [{ tick, text: `Would fire: ${Math.round(peak * 100) / 100}` }];
  });
  const hasBand = [...bounds.lower, ...bounds.upper].some((bound) => bound !== null);
  const isNoisy = test.per_week > MAX_A_WEEK;
  return (
    <div class="stack">
      <p>
        In the last {pluralize(Math.round(daysOf(starts)), 'day')} it would have fired{' '}
        <b>{pluralize(fires.length, 'time')}</b>
        {fires.length > 0 && `, ${test.noise}`}.
      </p>
      {isNoisy && (
        <Banner
          tone="warn"
          action={
            suggestion !== null && <Button onClick={() => onSuggestion(suggestion)}>Use the suggested bounds</Button>
          }
        >
          That is often: people stop looking at such alerts.{' '}
          {suggestion === null ? 'Choose wider bounds.' : 'Wider bounds would fire at most once a week.'}
        </Banner>
      )}
      <Chart
        label="Values of the last weeks, with the bounds of the alert"
        kind="line"
        unit="Value"
        ticks={starts.map((start) => ({ label: title(start).replace(/, [^,]*$/, ''), title: title(start) }))}
        annotations={marks}
        series={[
          {
            name: 'Value',
            colour: 0,
            values,
            ...(hasBand ? { band: bandOf(test) } : {}),
          },
        ]}
      />
    </div>
  );
}

const daysOf = (starts: readonly string[]): number => {
  const [first = '', second = first] = starts;
  const last = starts.at(-1) ?? first;
  return (Date.parse(last) - Date.parse(first) + (Date.parse(second) - Date.parse(first))) / 86_400_000;
};

/** A missing bound is drawn at the edge of what is shown. */
function bandOf({ values, bounds }: Backtest) {
  const known = [...values, ...bounds.lower, ...bounds.upper].filter((one) => one !== null);
  const min = known.reduce((low, one) => Math.min(low, one), 0);
  const max = known.reduce((high, one) => Math.max(high, one), 0);
  const isKnown = (at: number): boolean => bounds.lower[at] != null || bounds.upper[at] != null;
  return {
    low: bounds.lower.map((one, at) => one ?? (isKnown(at) ? min : null)),
    high: bounds.upper.map((one, at) => one ?? (isKnown(at) ? max : null)),
  };
}
