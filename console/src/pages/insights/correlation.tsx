import { useState } from 'preact/hooks';
import { type Correlation, getCorrelation } from '../../api/insights.ts';
import { type Option, Select } from '../../components/field.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatNumber } from '../../lib/format.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { NumberButton } from './answer/number-button.tsx';
import type { People } from './answers.ts';
import { PeopleDrawer } from './persons/persons-drawer.tsx';
import type { Fields } from './question.ts';

const ABOUT = {
  events: { funnel_correlation_type: 'events' },
  properties: { funnel_correlation_type: 'properties', funnel_correlation_names: ['$all'] },
};
type About = keyof typeof ABOUT;
const COMPARED: readonly Option<About>[] = [
  { value: 'events', label: 'what else they did' },
  { value: 'properties', label: 'who they are' },
];

/** What those who came through did, or are, more often than those who dropped out. */
export function CorrelationPanel({ fields }: { fields: Fields }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="request" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What sets those apart who came through?</summary>
      {isOpen && <Found fields={fields} />}
    </details>
  );
}

function Found({ fields }: { fields: Fields }) {
  const { id } = useProject();
  const [about, setAbout] = useState<About>('events');
  const [people, setPeople] = useState<People | null>(null);
  const found = useResource(
    (signal) => getCorrelation(id, { ...fields, ...ABOUT[about] }, signal),
    [id, JSON.stringify(fields), about],
  );
  return (
    <div class="stack">
      <div class="row-end">
        <Select label="Compare" value={about} options={COMPARED} onChange={(next: About) => setAbout(next)} />
      </div>
      <Loaded resource={found}>
        {({ events, skewed }) => (
          <>
            {skewed && (
              <p class="soft">Far more came through than dropped out, or the other way: take this with care.</p>
            )}
            <Table
              label="What sets them apart"
              columns={columns(setPeople)}
              rows={events}
              rowKey={({ event }) => event.event}
              empty={
                <Empty title="Nothing stands out">
                  That takes some who came through, some who dropped out, and something that they did in between.
                </Empty>
              }
            />
          </>
        )}
      </Loaded>
      {people && <PeopleDrawer people={people} onClose={() => setPeople(null)} />}
    </div>
  );
}

const columns = (open: (people: People) => void): Column<Correlation>[] => [
  {
    id: 'what',
    title: 'What',
    cell: ({ event, correlation_type, odds_ratio }) => (
      <div class="stack-s">
        <span>{event.event.replaceAll('::', ' = ')}</span>
        <span>
          <Badge tone={correlation_type === 'success' ? 'good' : 'warn'}>
            {correlation_type === 'success'
              ? `${formatNumber(odds_ratio)} times as likely to come through`
              : `${formatNumber(1 / odds_ratio)} times as likely to drop out`}
          </Badge>
        </span>
      </div>
    ),
  },
  count('Came through', 'success_count', 'success_people_url', open),
  count('Dropped out', 'failure_count', 'failure_people_url', open),
];

function count(
  title: string,
  number: 'success_count' | 'failure_count',
  url: 'success_people_url' | 'failure_people_url',
  open: (people: People) => void,
): Column<Correlation> {
  const people = (row: Correlation): People => ({ title: `${title}: ${row.event.event}`, url: row[url] });
  return {
    id: number,
    title,
    isNumber: true,
    cell: (row) => (
      <NumberButton label={`${title}, ${row.event.event}`} onPick={row[number] > 0 ? () => open(people(row)) : null}>
        {formatNumber(row[number])}
      </NumberButton>
    ),
  };
}
