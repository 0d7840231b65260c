import { type Evaluation, evaluateFlags, listFlags } from '../../api/flags.ts';
import type { Person } from '../../api/persons.ts';
import { Select } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { ValueBadge } from '../flags/affected-users.tsx';
import { describeReason } from '../flags/model/reasons.ts';

interface Row extends Evaluation {
  key: string;
}

const MAX_IDS = 100;

/** The value of every flag, with the reason. Rollouts depend on the distinct ID, so it can be chosen. */
export function FlagsTab({ person: { distinct_ids: all } }: { person: Person }) {
  const { id } = useProject();
  const ids = all.slice(0, MAX_IDS);
  const [selected, select] = useQueryState('as', ids[0] ?? '');
  const distinctId = ids.includes(selected) ? selected : (ids[0] ?? '');
  const flags = useResource((signal) => evaluateFlags(id, distinctId, {}, signal), [id, distinctId]);
  const flagIds = useResource(
    async (signal) => {
      const { results } = await listFlags(id, { limit: 1000 }, signal);
      return new Map(results.map((flag) => [flag.key, flag.id]));
    },
    [id],
  );
  const columns: Column<Row>[] = [
    { id: 'key', title: 'Flag', cell: ({ key }) => <FlagLink name={key} id={flagIds.data?.get(key)} /> },
    { id: 'value', title: 'Value', cell: ({ value }) => <ValueBadge value={value} /> },
    { id: 'why', title: 'Match reason', cell: ({ evaluation }) => describeReason(evaluation) },
  ];
  return (
    <>
      {ids.length > 1 && (
        <Select
          label="Distinct ID"
          hint="Rollouts depend on the distinct ID, so values can differ between the distinct IDs of a person unless the flag persists across authentication."
          value={distinctId}
          options={ids.map((value) => ({ value, label: value }))}
          onChange={select}
        />
      )}
      <Loaded resource={flags}>
        {(data) => (
          <Table
            label="Feature flags"
            columns={columns}
            rows={Object.entries(data).map(([key, one]) => ({ key, ...one }))}
            rowKey={({ key }) => key}
            empty={
              <Empty title="No feature flags yet">
                Create a feature flag to see its value for this person, and why they get it.
              </Empty>
            }
          />
        )}
      </Loaded>
    </>
  );
}

export function FlagLink({ name, id }: { name: string; id: number | undefined }) {
  const project = useProject();
  const to = id === undefined ? null : pathTo('flag', { project: project.id, flag: id });
  return to === null ? (
    <b class="truncate">{name}</b>
  ) : (
    <Link class="truncate" to={to}>
      {name}
    </Link>
  );
}
