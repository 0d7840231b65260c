/** Persons who stay out of experiments. */
import { useState } from 'preact/hooks';
import { deleteHoldout, type Experiment, type Holdout, listExperiments, listHoldouts } from '../../api/experiments.ts';
import { actionsColumn } from '../../components/actions-column.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatPercent } from '../../lib/numbers.ts';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { HoldoutDialog, holdoutPercent } from './holdout-dialog.tsx';
import { experimentsColumn, nameColumn } from './shared-columns.tsx';

/** More than a project has. */
const MAX_EXPERIMENTS = 1000;

export function Page() {
  const { id } = useProject();
  const [edited, setEdited] = useState<Holdout | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Holdout | null>(null);
  const list = useResource((signal) => listHoldouts(id, signal), [id]);
  const experiments = useResource((signal) => listExperiments(id, { limit: MAX_EXPERIMENTS }, signal), [id]);
  const usersOf = (holdout: Holdout): Experiment[] =>
    (experiments.data?.results ?? []).filter((one) => one.holdout?.id === holdout.id);
  const add = (
    <Button kind="primary" onClick={() => setEdited('new')}>
      New holdout
    </Button>
  );
  return (
    <PageFrame
      title="Holdouts"
      lead={
        <>
          A share of all persons who stay out of every experiment with the holdout, to see what all of them did
          together. <Link to={pathTo('experiments', { project: id }) ?? '/'}>All experiments</Link>
        </>
      }
      actions={add}
    >
      <Loaded resource={list}>
        {({ results }) => (
          <Table
            label="Holdouts"
            columns={columnsFor({ projectId: id, usersOf, edit: setEdited, remove: setDeleted })}
            rows={results}
            rowKey={(one) => one.id}
            empty={
              <Empty title="No holdouts yet" action={add}>
                Create one, then select it in the form of a new experiment.
              </Empty>
            }
          />
        )}
      </Loaded>
      {edited !== null && (
        <HoldoutDialog
          holdout={edited === 'new' ? null : edited}
          running={edited === 'new' ? [] : usersOf(edited).filter(({ status }) => status === 'running')}
          onClose={() => {
            setEdited(null);
            list.reload();
          }}
        />
      )}
      {deleted !== null && (
        <Confirm
          title="Delete holdout"
          action="Delete"
          danger
          onClose={() => setDeleted(null)}
          onConfirm={async () => {
            await deleteHoldout(id, deleted.id);
            list.reload();
          }}
        >
          <p>
            {usersOf(deleted).length === 0
              ? `No experiment uses “${deleted.name}”.`
              : `The persons in “${deleted.name}” get the variants of its experiments from now on: ${namesOf(usersOf(deleted))}.`}
          </p>
        </Confirm>
      )}
    </PageFrame>
  );
}

const namesOf = (experiments: readonly Experiment[]): string => experiments.map(({ name }) => name).join(', ');

interface RowActions {
  projectId: number;
  usersOf(holdout: Holdout): Experiment[];
  edit(holdout: Holdout): void;
  remove(holdout: Holdout): void;
}

const columnsFor = ({ projectId, usersOf, edit, remove }: RowActions): Column<Holdout>[] => [
  nameColumn('Holdout'),
  { id: 'share', title: 'Held out', cell: (one) => formatPercent(holdoutPercent(one) / 100) },
  experimentsColumn(projectId, usersOf),
  actionsColumn({ edit, remove }),
];
