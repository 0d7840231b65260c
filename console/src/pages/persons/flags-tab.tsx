import { type Evaluation, evaluateFlags, listFlags } from '../../api/flags.ts';
import type { Person } from '../../api/persons.ts';
import { Select } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { sentenceOfReason } from './flag-reasons.ts';

interface Row extends Evaluation {
  key: string;
}

/** More to choose from would help nobody. */
const MOST_IDS = 100;

/** Every flag as the person gets it now, and why. Rollouts go by distinct id, so it matters which one is asked for. */
export function FlagsTab({ person: { distinct_ids: all } }: { person: Person }) {
  const { id } = useProject();
  const ids = all.slice(0, MOST_IDS);
  const [chosen, choose] = useQueryState('as', ids[0] ?? '');
  const distinctId = ids.includes(chosen) ? chosen : (ids[0] ?? '');
  const flags = useResource((signal) => evaluateFlags(id, distinctId, {}, signal), [id, distinctId]);
  const numbers = useResource(
    async (signal) => {
      const { results } = await listFlags(id, { limit: 1000 }, signal);
      return new Map(results.map((flag) => [flag.key, flag.id]));
    },
    [id],
  );
  const columns: Column<Row>[] = [
    { id: 'key', title: 'Flag', cell: ({ key }) => <FlagLink name={key} number={numbers.data?.get(key)} /> },
    { id: 'value', title: 'Value', cell: ({ value }) => <Value value={value} /> },
    { id: 'why', title: 'Why', cell: (row) => sentenceOfReason(row) },
  ];
  return (
    <>
      {ids.length > 1 && (
        <Select
          label="As seen by the distinct id"
          hint="Shares are dealt out by distinct id, so ids of one person may differ unless the flag keeps its value across logins."
          value={distinctId}
          options={ids.map((value) => ({ value, label: value }))}
          onChange={choose}
        />
      )}
      <Loaded resource={flags}>
        {(data) => (
          <Table
            label="Flags of the person"
            columns={columns}
            rows={Object.entries(data).map(([key, one]) => ({ key, ...one }))}
            rowKey={({ key }) => key}
            empty={
              <Empty title="No flags yet">
                As soon as the project has a flag, its value for this person stands here, with the reason.
              </Empty>
            }
          />
        )}
      </Loaded>
    </>
  );
}

function FlagLink({ name, number }: { name: string; number: number | undefined }) {
  const { id } = useProject();
  const to = number === undefined ? null : pathTo('flag', { project: id, flag: number });
  return to === null ? <b class="cut">{name}</b> : <Link to={to}>{name}</Link>;
}

const Value = ({ value }: { value: boolean | string }) =>
  typeof value === 'string' ? (
    <Badge tone="accent">{value}</Badge>
  ) : (
    <Badge tone={value ? 'good' : 'neutral'}>{value ? 'on' : 'off'}</Badge>
  );
