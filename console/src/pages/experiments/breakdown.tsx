/** The same metrics for each value of a property: described, never decided. */
import { getResults, type MetricResult, type ResultPart, type VariantResult } from '../../api/experiments.ts';
import { Select } from '../../components/field.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatNumber } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { Explain } from './explain.tsx';
import { intervalScale } from './intervals.ts';
import { Interval, metricName, shownValue } from './metric-table.tsx';

/** What may make people react differently, and is known of the exposure. */
const PROPERTIES = [
  { value: '', label: 'Select a property' },
  { value: '$browser', label: 'Browser' },
  { value: '$os', label: 'Operating system' },
  { value: '$device_type', label: 'Device type' },
  { value: '$geoip_country_code', label: 'Country' },
  { value: '$app_version', label: 'App version' },
  { value: '$lib', label: 'Library' },
];

interface Row {
  part: ResultPart;
  metric: MetricResult;
  variant: VariantResult;
}

export function Breakdown({ experimentId, asOf }: { experimentId: number; asOf: string }) {
  const [property, setProperty] = useQueryState('breakdown');
  return (
    <section class="stack" aria-label="Breakdown">
      <h2>
        <Explain term="breakdown">Breakdown</Explain>
      </h2>
      <Select label="Property of the exposure" value={property} options={PROPERTIES} onChange={setProperty} />
      {property !== '' && <Parts key={property} experimentId={experimentId} property={property} asOf={asOf} />}
    </section>
  );
}

function Parts({ experimentId, property, asOf }: { experimentId: number; property: string; asOf: string }) {
  const { id } = useProject();
  const results = useResource(
    (signal) => getResults(id, experimentId, signal, property),
    [id, experimentId, property, asOf],
  );
  return <Loaded resource={results}>{({ breakdown }) => <PartTable parts={breakdown?.values ?? []} />}</Loaded>;
}

function PartTable({ parts }: { parts: readonly ResultPart[] }) {
  const scale = intervalScale(parts.flatMap(({ metrics }) => metrics));
  const rows = parts.flatMap((part) =>
    part.metrics.flatMap((metric) => metric.variant_results.map((variant): Row => ({ part, metric, variant }))),
  );
  const columns: Column<Row>[] = [
    {
      id: 'value',
      title: 'Value',
      cell: ({ part: { value }, metric, variant }) => (
        <>
          <b>{value === null ? 'Other' : value || 'Not set'}</b>
          <div class="muted small">
            {metricName(metric)}, <code>{variant.key}</code>
          </div>
        </>
      ),
    },
    { id: 'persons', title: 'Persons', isNumber: true, cell: ({ part }) => formatNumber(part.exposures.total) },
    {
      id: 'values',
      title: 'Baseline → variant',
      isWide: true,
      cell: ({ metric, variant }) =>
        `${shownValue(metric, metric.baseline?.mean)} → ${shownValue(metric, variant.mean)}`,
    },
    { id: 'interval', title: 'Lift', cell: ({ variant }) => <Interval variant={variant} scale={scale} /> },
  ];
  return (
    <Table
      label="Metrics by value"
      columns={columns}
      rows={rows}
      rowKey={({ part, metric, variant }) => `${part.value} ${metric.uuid} ${variant.key}`}
      empty={<Empty title="Nothing to break down yet">No one with this property was exposed.</Empty>}
    />
  );
}
