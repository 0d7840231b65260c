/** Every metric and variant as an interval on one axis; a row opens its details. */
import './experiments.css';
import { useState } from 'preact/hooks';
import {
  type Experiment,
  type MetricResult,
  type Results,
  showEarlyNumbers,
  type VariantResult,
} from '../../api/experiments.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { NumberButton } from '../../components/number-button.tsx';
import { Badge, Empty } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toastError } from '../../components/toast.tsx';
import { classes } from '../../lib/classes.ts';
import { formatChange, formatNumber, formatPercent, pluralize } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { CourseChart } from './course-chart.tsx';
import { Explain } from './explain.tsx';
import { GUARD_ACTIONS } from './guardrail-alarms.tsx';
import { type IntervalScale, intervalScale, placeOf } from './intervals.ts';
import { VariantPersons } from './variant-persons.tsx';

interface Row {
  metric: MetricResult;
  variant: VariantResult | null;
}

const keyOf = ({ metric, variant }: Row): string => `${metric.uuid} ${variant?.key ?? ''}`;
export const metricName = ({ name }: MetricResult): string => name || 'Unnamed metric';

/** A fixed plan decides once: until then lifts are hidden, unless someone wants to see them. */
const hidesLifts = (
  experiment: Experiment,
  { stopping, decision_allowed: isAllowed, planned_result }: Results,
): boolean => stopping === 'fixed' && !isAllowed && planned_result === null && experiment.end_date === null;

export function MetricTable({ experiment, results }: { experiment: Experiment; results: Results }) {
  const { id } = useProject();
  const experimentId = experiment.id;
  const [isShown, setShown] = useState(false);
  const isHidden = hidesLifts(experiment, results) && !isShown;
  const [opened, setOpened] = useState<string | null>(null);
  const scale = intervalScale(results.metrics);
  const rows = results.metrics.flatMap((metric): Row[] =>
    metric.variant_results.length === 0
      ? [{ metric, variant: null }]
      : metric.variant_results.map((variant) => ({ metric, variant })),
  );
  const open = rows.find((row) => keyOf(row) === opened);
  const columns: Column<Row>[] = [
    {
      id: 'metric',
      title: 'Metric',
      cell: ({ metric, variant }) => (
        <div class="metric-name">
          <span class="row">
            <b>{metricName(metric)}</b> {metric.role === 'secondary' && <Badge>Secondary</Badge>}
            {metric.role === 'guardrail' && (
              <Explain term="guardrail">
                <Badge>Guardrail</Badge>
              </Explain>
            )}
          </span>
          {variant && (
            <div class="muted small">
              <code>{variant.key}</code>
            </div>
          )}
        </div>
      ),
    },
    {
      id: 'values',
      title: 'Baseline → variant',
      isWide: true,
      cell: ({ metric, variant }) =>
        isHidden ? '–' : `${shownValue(metric, metric.baseline?.mean)} → ${shownValue(metric, variant?.mean)}`,
    },
    {
      id: 'interval',
      title: 'Lift',
      cell: ({ variant }) =>
        isHidden ? <span class="muted">Hidden</span> : <Interval variant={variant} scale={scale} />,
    },
    {
      id: 'sentence',
      title: 'Result',
      cell: (row) => (
        // Without an element around it, the button would align the sentence to the right.
        <span>
          {row.variant?.sentence ?? row.metric.sentence}{' '}
          {row.variant && !isHidden && (
            <Button small kind="quiet" onClick={() => setOpened(keyOf(row))}>
              Details
            </Button>
          )}
        </span>
      ),
    },
  ];
  return (
    <>
      {isHidden && (
        <p class="row">
          <span>
            Lifts are hidden until the plan is reached: numbers before that are mostly noise, and tempt to stop too
            early.
          </span>
          <Button small onClick={() => showEarlyNumbers(id, experimentId).then(() => setShown(true), toastError)}>
            Show early numbers
          </Button>
          <span class="muted small">The history says who looked.</span>
        </p>
      )}
      <Table
        label="Metrics"
        columns={columns}
        rows={rows}
        rowKey={keyOf}
        empty={<Empty title="No metrics yet">Add a metric through the API to see what the variants change.</Empty>}
      />
      {open?.variant && (
        <Details
          experimentId={experimentId}
          metric={open.metric}
          variant={open.variant}
          results={results}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}

/** A conversion is a share; everything else is a plain number. */
export function shownValue({ metric_type, threshold = null }: MetricResult, value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  const isShare = metric_type === 'funnel' || metric_type === 'retention' || threshold !== null;
  return isShare ? formatPercent(value) : formatNumber(value);
}

/** Without colour until something may be decided. */
export function Interval({ variant, scale }: { variant: VariantResult | null; scale: IntervalScale }) {
  const { lift = null, lift_interval: bounds = null, verdict } = variant ?? {};
  const shown = verdict === 'harm' ? 'worse' : verdict;
  const isDecided = shown === 'better' || shown === 'worse';
  return (
    <>
      <div class="interval-track" aria-hidden="true">
        <div class="zero" />
        {bounds && (
          <div
            class={classes('interval', isDecided && `is-${shown}`)}
            style={{ '--from': placeOf(bounds[0], scale), '--to': placeOf(bounds[1], scale) }}
          />
        )}
        {lift !== null && <div class="lift" style={{ '--at': placeOf(lift, scale) }} />}
      </div>
      <span class="small">{liftText(lift, bounds)}</span>
    </>
  );
}

function liftText(lift: number | null, bounds: VariantResult['lift_interval']): string {
  if (lift === null) return 'No lift yet';
  return bounds === null
    ? formatChange(lift)
    : `${formatChange(lift)} (${formatChange(bounds[0])} to ${formatChange(bounds[1])})`;
}

interface DetailsProps {
  experimentId: number;
  metric: MetricResult;
  variant: VariantResult;
  results: Results;
  onClose(): void;
}

function Details({ experimentId, metric, variant, results, onClose }: DetailsProps) {
  const [persons, setPersons] = useState<string | null>(null);
  if (persons !== null)
    return <VariantPersons experimentId={experimentId} variant={persons} onClose={() => setPersons(null)} />;
  return (
    <Dialog
      title={
        <>
          {metricName(metric)}: <code>{variant.key}</code>
        </>
      }
      side
      onClose={onClose}
    >
      <p>{variant.sentence}</p>
      <Facts facts={factsOf(metric, variant, results, setPersons)} />
      <CourseChart experimentId={experimentId} metric={metric} variant={variant.key} />
    </Dialog>
  );
}

const orNone = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? 'Not available' : format(value);

/** A value, and the persons that it comes from. */
const Value = ({ metric, own, term, onPersons }: ValueProps) => (
  <>
    <Explain term={term}>{shownValue(metric, own.mean)}</Explain> of{' '}
    <NumberButton
      label={`Persons in ${own.key}`}
      onPick={own.number_of_samples === 0 ? null : () => onPersons(own.key)}
    >
      {pluralize(own.number_of_samples, 'person')}
    </NumberButton>
  </>
);

interface ValueProps {
  metric: MetricResult;
  own: { key: string; number_of_samples: number; mean?: number | null };
  term: 'baseline' | 'variant';
  onPersons(key: string): void;
}

function factsOf(
  metric: MetricResult,
  variant: VariantResult,
  { stopping }: Results,
  onPersons: (key: string) => void,
): Fact[] {
  const bounds = variant.lift_interval;
  const { baseline, guardrail } = metric;
  return [
    [
      'Baseline',
      baseline === null ? (
        'Not available'
      ) : (
        <Value metric={metric} own={baseline} term="baseline" onPersons={onPersons} />
      ),
    ],
    ['Variant', <Value metric={metric} own={variant} term="variant" onPersons={onPersons} />],
    ...(variant.uncapped_mean === undefined
      ? []
      : [
          [
            'Without a bound',
            <Explain term="uncapped">
              {`${shownValue(metric, baseline?.uncapped_mean)} → ${shownValue(metric, variant.uncapped_mean)}`}
            </Explain>,
          ] satisfies Fact,
        ]),
    ...(guardrail
      ? [
          [
            'Guardrail',
            <Explain term="guardrail">
              {`${GUARD_ACTIONS[guardrail.action]} if harm is more than ${formatPercent(guardrail.margin_relative)}`}
            </Explain>,
          ] satisfies Fact,
        ]
      : []),
    [
      'Lift',
      <>
        <Explain term="lift">{orNone(variant.lift, formatChange)}</Explain>,{' '}
        <Explain term="interval">
          {bounds === null ? 'no interval yet' : `${formatChange(bounds[0])} to ${formatChange(bounds[1])}`}
        </Explain>
      </>,
    ],
    ['Method', <Explain term={stopping}>{stopping === 'sequential' ? 'Sequential' : 'Fixed horizon'}</Explain>],
    ['P-value', <Explain term="pValue">{orNone(variant.p_value_adjusted ?? variant.p_value, shownPValue)}</Explain>],
    ['Chance to be better', <Explain term="chance">{orNone(variant.chance_to_win, formatPercent)}</Explain>],
    ['Expected loss', <Explain term="loss">{orNone(variant.bayesian?.expected_loss, formatNumber)}</Explain>],
    ...(variant.sequential?.first_crossed
      ? [['First beyond chance', <Time at={variant.sequential.first_crossed} />] satisfies Fact]
      : []),
    ...(variant.ignored_values
      ? [['Values that are no numbers', formatNumber(variant.ignored_values)] satisfies Fact]
      : []),
    ['Noise removed', <Explain term="cuped">{orNone(variant.cuped?.variance_reduction, formatPercent)}</Explain>],
  ];
}

const shownPValue = (value: number): string => (value < 0.001 ? 'below 0.001' : value.toFixed(3));
