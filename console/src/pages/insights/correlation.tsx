import { useState } from 'preact/hooks';
import { type Correlation, getCorrelation } from '../../api/insights.ts';
import { type Option, Select } from '../../components/field.tsx';
import { NumberButton } from '../../components/number-button.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { eventLabel, propertyLabel } from '../../lib/friendly-names.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import type { PersonsLink } from './answers.ts';
import { PersonsDrawer } from './persons/persons-drawer.tsx';
import type { Fields } from './question.ts';

const QUERIES = {
  events: { funnel_correlation_type: 'events' },
  properties: { funnel_correlation_type: 'properties', funnel_correlation_names: ['$all'] },
};
type CorrelationType = keyof typeof QUERIES;
const TYPE_OPTIONS: readonly Option<CorrelationType>[] = [
  { value: 'events', label: 'Correlated events' },
  { value: 'properties', label: 'Correlated person properties' },
];

/** Events and properties that correlate with conversion. */
export function CorrelationPanel({ fields }: { fields: Fields }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="request" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Correlation analysis</summary>
      {isOpen && <Correlations fields={fields} />}
    </details>
  );
}

function Correlations({ fields }: { fields: Fields }) {
  const { id } = useProject();
  const [type, setType] = useState<CorrelationType>('events');
  const [persons, setPersons] = useState<PersonsLink | null>(null);
  const found = useResource(
    (signal) => getCorrelation(id, { ...fields, ...QUERIES[type] }, signal),
    [id, JSON.stringify(fields), type],
  );
  return (
    <div class="stack">
      <div class="row-end">
        <Select
          label="Analyze"
          value={type}
          options={TYPE_OPTIONS}
          onChange={(next: CorrelationType) => setType(next)}
        />
      </div>
      <Loaded resource={found}>
        {({ events, skewed }) => (
          <>
            {skewed && (
              <p class="muted">Almost everyone converted, or almost no one did. Interpret these results with care.</p>
            )}
            <Table
              label="Correlations"
              columns={columns(setPersons)}
              rows={events}
              rowKey={({ event }) => event.event}
              empty={
                <Empty title="No correlations found">
                  This needs persons who converted, persons who dropped off, and other events between the steps.
                </Empty>
              }
            />
          </>
        )}
      </Loaded>
      {persons && <PersonsDrawer persons={persons} onClose={() => setPersons(null)} />}
    </div>
  );
}

/** `$browser::Chrome` → 'Browser = Chrome', `$pageview` → 'Pageview' */
function factorLabel(factor: string): string {
  const [name = '', ...value] = factor.split('::');
  return value.length === 0 ? eventLabel(name) : `${propertyLabel(name)} = ${value.join('::')}`;
}

const columns = (open: (persons: PersonsLink) => void): Column<Correlation>[] => [
  {
    id: 'what',
    title: 'Event or property',
    cell: ({ event, correlation_type, odds_ratio }) => (
      <div class="stack-s">
        <span title={event.event}>{factorLabel(event.event)}</span>
        <span>
          <Badge tone={correlation_type === 'success' ? 'good' : 'warn'}>
            {correlation_type === 'success'
              ? `${formatNumber(odds_ratio)}× as likely to convert`
              : `${formatNumber(1 / odds_ratio)}× as likely to drop off`}
          </Badge>
        </span>
      </div>
    ),
  },
  count('Converted', 'success_count', 'success_people_url', open),
  count('Dropped off', 'failure_count', 'failure_people_url', open),
];

function count(
  title: string,
  number: 'success_count' | 'failure_count',
  url: 'success_people_url' | 'failure_people_url',
  open: (persons: PersonsLink) => void,
): Column<Correlation> {
  const personsOf = (row: Correlation): PersonsLink => ({
    title: `${title}: ${factorLabel(row.event.event)}`,
    url: row[url],
  });
  return {
    id: number,
    title,
    isNumber: true,
    cell: (row) => (
      <NumberButton
        label={`${title}, ${factorLabel(row.event.event)}`}
        onPick={row[number] > 0 ? () => open(personsOf(row)) : null}
      >
        {formatNumber(row[number])}
      </NumberButton>
    ),
  };
}
