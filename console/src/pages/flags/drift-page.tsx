/** Flags that say something else in another project. */
import './flags-page.css';
import { useState } from 'preact/hooks';
import { listProjects, type ProjectBasic } from '../../api/projects.ts';
import { type FlagDrift, listDrift } from '../../api/promotion.ts';
import { Button } from '../../components/button.tsx';
import { Select } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Badge, Empty, Loaded, type Tone } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { labelOfPath } from './model/path-labels.ts';
import { PromoteFlag } from './promote-flag.tsx';

export function Page() {
  const { id } = useProject();
  const projects = useResource((signal) => listProjects(signal), []);
  return (
    <PageFrame
      title="Drift"
      lead={
        <>
          Flags that differ from those with the same key in another project.{' '}
          <Link to={pathTo('flags', { project: id }) ?? '/'}>All feature flags</Link>
        </>
      }
    >
      <Loaded resource={projects}>
        {(all) => {
          const others = all.filter((project) => project.id !== id);
          return others.length === 0 ? (
            <Empty title="No other project">
              Create a project for each environment, such as Staging and Production, to compare their flags.
            </Empty>
          ) : (
            <Drift projects={others} />
          );
        }}
      </Loaded>
    </PageFrame>
  );
}

const STATUSES: Record<FlagDrift['status'], { tone: Tone; label: string }> = {
  differs: { tone: 'warn', label: 'Differs' },
  only_here: { tone: 'neutral', label: 'Only here' },
  only_there: { tone: 'neutral', label: 'Only there' },
};

function Drift({ projects }: { projects: readonly ProjectBasic[] }) {
  const { id } = useProject();
  const [other, setOther] = useQueryState('with', String(projects[0]?.id ?? ''));
  const [promoted, setPromoted] = useState<FlagDrift | null>(null);
  const drift = useResource((signal) => listDrift(id, Number(other), signal), [id, other]);
  const name = projects.find((project) => String(project.id) === other)?.name ?? '';
  return (
    <>
      <div class="flags-filters">
        <Select
          label="Compare with"
          value={other}
          options={projects.map((project) => ({ value: String(project.id), label: project.name }))}
          onChange={setOther}
        />
      </div>
      <Loaded resource={drift}>
        {(rows) => (
          <Table
            label="Flags that differ"
            columns={columnsFor(id, name, setPromoted)}
            rows={rows}
            rowKey={({ key }) => key}
            empty={<Empty title="No drift">All flags say the same in {name}.</Empty>}
          />
        )}
      </Loaded>
      {promoted !== null && promoted.id !== null && (
        <PromoteFlag
          flag={{ id: promoted.id, key: promoted.key }}
          to={Number(other)}
          onClose={() => {
            setPromoted(null);
            drift.reload();
          }}
        />
      )}
    </>
  );
}

const MAX_NAMES = 3;

/** 'Rollout of condition 1 (%), Tags and 2 more' */
function namesOf(diff: FlagDrift['diff']): string {
  const names = [...new Set(diff.map(({ path }) => labelOfPath(path)))];
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `${names.slice(0, MAX_NAMES).join(', ')}${more}`;
}

const columnsFor = (projectId: number, name: string, promote: (drift: FlagDrift) => void): Column<FlagDrift>[] => [
  {
    id: 'key',
    title: 'Flag',
    cell: ({ key, id, there }) => {
      const to = id === null ? { project: there.project, flag: there.id ?? 0 } : { project: projectId, flag: id };
      return (
        <Link class="truncate" to={pathTo('flag', to) ?? '/'} title={key}>
          {key}
        </Link>
      );
    },
  },
  {
    id: 'status',
    title: 'Status',
    cell: ({ status }) => <Badge tone={STATUSES[status].tone}>{STATUSES[status].label}</Badge>,
  },
  {
    id: 'diff',
    title: 'What differs',
    isWide: true,
    cell: ({ status, diff }) =>
      status === 'differs' ? (
        <span class="drift-paths">{namesOf(diff)}</span>
      ) : (
        <span class="muted">{status === 'only_here' ? `Not in ${name}` : `Only in ${name}`}</span>
      ),
  },
  {
    id: 'actions',
    title: 'Actions',
    hideTitle: true,
    cell: (drift) =>
      drift.id === null ? (
        <Link
          class="button quiet small"
          to={`${pathTo('flags-drift', { project: drift.there.project }) ?? '/'}?with=${projectId}`}
        >
          Promote from {name}
        </Link>
      ) : (
        <Button kind="quiet" small aria-label={`Promote to ${name}: ${drift.key}`} onClick={() => promote(drift)}>
          Promote to {name}
        </Button>
      ),
  },
];
