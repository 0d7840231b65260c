/** Whether the numbers can be trusted: the split, persons in several variants, exposures by day. */
import { useState } from 'preact/hooks';
import type { Exposures, Results, SplitCheck } from '../../api/experiments.ts';
import { Chart } from '../../charts/chart.tsx';
import { PropertyName } from '../../components/names.tsx';
import { NumberButton } from '../../components/number-button.tsx';
import { Badge, Banner, type Tone } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatTick, formatTickTitle } from '../../lib/dates.ts';
import { formatNumber, formatPercent, pluralize } from '../../lib/numbers.ts';
import { Explain } from './explain.tsx';
import { VariantPersons } from './variant-persons.tsx';

const SPLIT: Record<SplitCheck['status'], { tone: Tone; label: string }> = {
  ok: { tone: 'good', label: 'As planned' },
  watch: { tone: 'warn', label: 'A little uneven' },
  mismatch: { tone: 'bad', label: 'Not as planned' },
  not_enough_data: { tone: 'neutral', label: 'Too few persons to check' },
};

interface Row {
  key: string;
  count: number;
  expected: number;
}

export function Health({ experimentId, results }: { experimentId: number; results: Results }) {
  const { exposures, warnings } = results;
  const [opened, setOpened] = useState<string | null>(null);
  const split = SPLIT[exposures.srm.status];
  const rows = Object.entries(exposures.by_variant).map(([key, count]) => ({
    key,
    count,
    expected: exposures.srm.expected[key] ?? 0,
  }));
  const columns: Column<Row>[] = [
    { id: 'variant', title: 'Variant', cell: ({ key }) => <code>{key}</code> },
    {
      id: 'count',
      title: 'Persons',
      isNumber: true,
      cell: ({ key, count }) => (
        <NumberButton label={`Persons in ${key}`} onPick={count === 0 ? null : () => setOpened(key)}>
          {formatNumber(count)}
        </NumberButton>
      ),
    },
    { id: 'share', title: 'Share', isNumber: true, cell: ({ count }) => shareOf(count, exposures.total) },
    {
      id: 'expected',
      title: 'Expected',
      isNumber: true,
      isWide: true,
      cell: ({ expected }) => formatNumber(Math.round(expected)),
    },
  ];
  return (
    <section class="stack" aria-label="Health">
      <h2>Health</h2>
      <p class="row">
        <Explain term="split">Split</Explain> <Badge tone={split.tone}>{split.label}</Badge>
        <span>
          <Explain term="exposed">Exposed</Explain>: {pluralize(exposures.total, 'person')}
        </span>
        <Multiple exposures={exposures} />
      </p>
      {warnings.map(({ code, sentence }) => (
        <Banner key={code} tone="warn">
          {sentence}
        </Banner>
      ))}
      <Diagnosis srm={exposures.srm} />
      <Table label="Persons by variant" columns={columns} rows={rows} rowKey={({ key }) => key} />
      <ExposureChart exposures={exposures} />
      {opened !== null && (
        <VariantPersons experimentId={experimentId} variant={opened} onClose={() => setOpened(null)} />
      )}
    </section>
  );
}

const shareOf = (count: number, total: number): string => (total === 0 ? '–' : formatPercent(count / total));

function Multiple({ exposures: { multiple } }: { exposures: Exposures }) {
  const all = multiple.same_id + multiple.merged_ids;
  return (
    <span>
      <Explain term="multiple">In several variants</Explain>: {formatNumber(all)}
      {multiple.merged_ids > 0 && `, ${formatNumber(multiple.merged_ids)} of them after signing in`}
    </span>
  );
}

function Diagnosis({ srm: { diagnosis } }: { srm: SplitCheck }) {
  const [worst] = diagnosis;
  if (worst === undefined) return null;
  return (
    <Banner tone="warn">
      Most of the gap is <FaultPlace property={worst.property} value={worst.value} />
      {worst.explains_all ? '; without it the split is as planned.' : '.'}
    </Banner>
  );
}

function FaultPlace({ property, value }: { property: string; value: string }) {
  if (property === 'day')
    return (
      <>
        on <b>{formatTickTitle(value, 'day')}</b>
      </>
    );
  if (property === 'phase')
    return (
      <>
        in <b>phase {value}</b> of the split, {value === '1' ? 'before' : 'after'} its percentages were changed
      </>
    );
  if (property === 'is_new_person')
    return (
      <>
        among <b>{value === 'true' ? 'persons who are new' : 'persons who were known before'}</b>
      </>
    );
  if (property === 'has_page_view')
    return (
      <>
        among{' '}
        <b>
          {value === 'true'
            ? 'persons who viewed a page after they met a variant'
            : 'persons without a page view after they met a variant'}
        </b>
        {value === 'false' && ' (does a variant redirect?)'}
      </>
    );
  return (
    <>
      where <PropertyName name={property} /> is <b>{value || 'empty'}</b>
    </>
  );
}

function ExposureChart({ exposures: { timeseries } }: { exposures: Exposures }) {
  const days = timeseries[0]?.days ?? [];
  if (days.length < 2) return null;
  return (
    <Chart
      label="First exposures by day"
      kind="bar"
      unit="Persons"
      small
      hasTable
      ticks={days.map((day) => ({
        label: formatTick(day.slice(0, 10), 'day'),
        title: formatTickTitle(day.slice(0, 10), 'day'),
      }))}
      series={timeseries.map(({ variant, exposure_counts }, index) => ({
        name: variant,
        colour: index,
        values: exposure_counts,
      }))}
    />
  );
}
