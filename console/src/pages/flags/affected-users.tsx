/** Whose value a change would affect: the server evaluates the flag before and after the change. */
import { useState } from 'preact/hooks';
import { type BlastRadius, type BlastRadiusQuery, getBlastRadius } from '../../api/flags.ts';
import { PersonLink } from '../../components/person-link.tsx';
import { Badge, Loaded, Skeleton } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { formatNumber, formatPercent } from '../../lib/numbers.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { PERSONS } from './model/descriptions.ts';

type Value = boolean | string;

const valueLabel = (value: Value): string => (value === true ? 'On' : value === false ? 'Off' : value);

export const ValueBadge = ({ value }: { value: Value }) => (
  <Badge tone={value === false ? 'neutral' : value === true ? 'good' : 'accent'}>{valueLabel(value)}</Badge>
);

/** '12 of 400 persons (3%)' */
export const outOf = (count: number, total: number, audience: string): string =>
  `${formatNumber(count)} of ${formatNumber(total)} ${audience}${total === 0 ? '' : ` (${formatPercent(count / total)})`}`;

const PAGE_SIZE = 8;

/** `audience`: 'persons' or a group type. */
export function AffectedUsers({ query, audience }: { query: BlastRadiusQuery; audience: string }) {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const queryJson = JSON.stringify(query);
  const radius = useResource(
    (signal) => getBlastRadius(id, query, { limit: PAGE_SIZE, offset }, signal),
    [id, queryJson, offset],
  );
  return (
    <section class="stack-s" aria-label="Blast radius">
      <h3>Blast radius</h3>
      <Loaded resource={radius} skeleton={<Skeleton lines={2} />}>
        {(loaded) =>
          loaded.users_changed === undefined ? (
            <p>Reaches {outOf(loaded.users_affected, loaded.total_users, audience)}.</p>
          ) : (
            <Changes radius={loaded} audience={audience} offset={offset} onOffset={setOffset} />
          )
        }
      </Loaded>
    </section>
  );
}

type Changed = NonNullable<BlastRadius['results']>[number];

const columnsFor = (audience: string): readonly Column<Changed>[] => [
  {
    id: 'who',
    title: audience === PERSONS ? 'Person' : 'Group',
    cell: ({ uuid, name }) => <PersonLink id={uuid} name={name} />,
  },
  {
    id: 'change',
    title: 'Change',
    cell: ({ from, to }) => <FromTo from={from} to={to} />,
  },
];

const FromTo = ({ from, to }: { from: Value; to: Value }) => (
  <span class="row">
    <ValueBadge value={from} />
    <span aria-hidden="true">→</span>
    <span class="visually-hidden">changes to</span>
    <ValueBadge value={to} />
  </span>
);

interface ChangesProps {
  radius: BlastRadius;
  audience: string;
  offset: number;
  onOffset(offset: number): void;
}

function Changes({ radius, audience, offset, onOffset }: ChangesProps) {
  const { users_changed: changed = 0, total_users: total, changes = [], results = [] } = radius;
  if (changed === 0)
    return (
      <p>
        No one: all {formatNumber(total)} {audience} keep their current value.
      </p>
    );
  return (
    <>
      <p>
        <b>{outOf(changed, total, audience)}</b> get a different value.
      </p>
      <ul class="flag-changes">
        {changes.map(({ from, to, count }) => (
          <li key={`${from} ${to}`}>
            <FromTo from={from} to={to} />
            <b>{formatNumber(count)}</b>
          </li>
        ))}
      </ul>
      <Table
        label="Affected"
        columns={columnsFor(audience)}
        rows={results}
        rowKey={({ uuid, group_key, name }) => uuid ?? group_key ?? name}
      />
      <Pager offset={offset} limit={PAGE_SIZE} count={changed} onChange={onOffset} />
    </>
  );
}
