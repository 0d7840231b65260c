/** Whom a change would touch: asked of the server, which evaluates the flag for everybody as it is and as it would be. */

import { useState } from 'preact/hooks';
import { type BlastRadius, type BlastRadiusQuery, getBlastRadius } from '../../api/flags.ts';
import { PersonLink } from '../../components/person-link.tsx';
import { Badge, Loaded, Skeleton } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { formatNumber, formatShare } from '../../lib/format.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

type Value = boolean | string;

export const valueWord = (value: Value): string => (value === true ? 'on' : value === false ? 'off' : value);

export const ValueBadge = ({ value }: { value: Value }) => (
  <Badge tone={value === false ? 'neutral' : value === true ? 'good' : 'accent'}>{valueWord(value)}</Badge>
);

/** '12 of 400 persons (3 %)' */
export const outOf = (count: number, total: number, audience: string): string =>
  `${formatNumber(count)} of ${formatNumber(total)} ${audience}${total === 0 ? '' : ` (${formatShare(count / total)})`}`;

const LIMIT = 8;

/** `audience`: 'persons' or the name of a kind of groups. */
export function WhoChanges({ question, audience }: { question: BlastRadiusQuery; audience: string }) {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const written = JSON.stringify(question);
  const reach = useResource(
    (signal) => getBlastRadius(id, question, { limit: LIMIT, offset }, signal),
    [id, written, offset],
  );
  return (
    <section class="stack-s" aria-label="Who changes">
      <h3>Who changes</h3>
      <Loaded resource={reach} skeleton={<Skeleton lines={2} />}>
        {(known) =>
          known.users_changed === undefined ? (
            <p>Reaches {outOf(known.users_affected, known.total_users, audience)}.</p>
          ) : (
            <Changes reach={known} audience={audience} offset={offset} onOffset={setOffset} />
          )
        }
      </Loaded>
    </section>
  );
}

type Changed = NonNullable<BlastRadius['results']>[number];

const COLUMNS: readonly Column<Changed>[] = [
  { id: 'who', title: 'Who', cell: ({ uuid, name }) => <PersonLink id={uuid} name={name} /> },
  {
    id: 'change',
    title: 'Value',
    cell: ({ from, to }) => <FromTo from={from} to={to} />,
  },
];

const FromTo = ({ from, to }: { from: Value; to: Value }) => (
  <span class="row">
    <ValueBadge value={from} />
    <span aria-hidden="true">→</span>
    <span class="unseen">becomes</span>
    <ValueBadge value={to} />
  </span>
);

interface ChangesProps {
  reach: BlastRadius;
  audience: string;
  offset: number;
  onOffset(offset: number): void;
}

function Changes({ reach, audience, offset, onOffset }: ChangesProps) {
  const { users_changed: changed = 0, total_users: total, changes = [], results = [] } = reach;
  if (changed === 0)
    return (
      <p>
        Nobody: all {formatNumber(total)} {audience} keep the value they have.
      </p>
    );
  return (
    <>
      <p>
        <b>{outOf(changed, total, audience)}</b> get another value.
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
        label="Those who get another value"
        columns={COLUMNS}
        rows={results}
        rowKey={({ uuid, group_key, name }) => uuid ?? group_key ?? name}
      />
      <Pager offset={offset} limit={LIMIT} count={changed} onChange={onOffset} />
    </>
  );
}
