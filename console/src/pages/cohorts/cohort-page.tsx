import { useState } from 'preact/hooks';
import { listActivity } from '../../api/activity.ts';
import {
  type Cohort,
  cohortCsvPath,
  getCohort,
  listCohortPersons,
  removeFromCohort,
  updateCohort,
} from '../../api/cohorts.ts';
import type { ListedPerson } from '../../api/persons.ts';
import { ActivityList } from '../../components/activity-list.tsx';
import { Button } from '../../components/button.tsx';
import { CsvLink } from '../../components/csv-link.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { Banner, Empty, Loaded, NotFound, Progress } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { pluralize } from '../../lib/numbers.ts';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useInterval, useResource } from '../../lib/use-resource.ts';
import { CohortForm } from './cohort-form.tsx';

const PAGE_SIZE = 50;
const POLL_INTERVAL_MS = 1500;
const TABS = [
  { id: 'persons', label: 'Persons' },
  { id: 'criteria', label: 'Criteria' },
  { id: 'history', label: 'Activity' },
] as const;

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const key = params['cohort'] ?? '';
  const cohort = useResource((signal) => getCohort(id, key, signal), [id, key]);
  const { data } = cohort;
  const [isDeleting, setDeleting] = useState(false);
  const all = <Link to={pathTo('cohorts', { project: id }) ?? '/'}>All cohorts</Link>;
  useInterval(() => {
    if (data?.is_calculating) cohort.reload();
  }, POLL_INTERVAL_MS);
  return (
    <PageFrame
      title={data?.name || 'Cohort'}
      lead={data?.description || (data && all)}
      actions={
        data && (
          <>
            <CsvLink href={cohortCsvPath(id, data.id)} name={`cohort-${data.id}.csv`} />
            <Button kind="danger" onClick={() => setDeleting(true)}>
              Delete…
            </Button>
          </>
        )
      }
    >
      <Loaded resource={cohort} notFound={<NotFound name="Cohort" all={all} />}>
        {(loaded) => <CohortTabs cohort={loaded} onChange={cohort.set} />}
      </Loaded>
      {isDeleting && data && <DeleteCohort cohort={data} onClose={() => setDeleting(false)} />}
    </PageFrame>
  );
}

function CohortTabs({ cohort, onChange }: { cohort: Cohort; onChange(cohort: Cohort): void }) {
  const { id } = useProject();
  const [tab, setTab] = useQueryState('tab', 'persons');
  const shown = TABS.find((one) => one.id === tab)?.id ?? 'persons';
  return (
    <>
      {cohort.is_calculating && <Progress label="Calculating members…" />}
      {!cohort.is_calculating && cohort.errors_calculating > 0 && (
        <Banner tone="bad">
          The last {pluralize(cohort.errors_calculating, 'calculation')} failed, so the list may be out of date. Save
          the criteria to try again now, and check the server logs for the error.
        </Banner>
      )}
      <Tabs
        label="Cohort"
        tabs={TABS.map((one) => (one.id === 'criteria' && cohort.is_static ? { ...one, label: 'Edit' } : one))}
        value={shown}
        onChange={setTab}
      >
        {shown === 'persons' && <Members cohort={cohort} />}
        {shown === 'criteria' && (
          <CohortForm
            cohort={cohort}
            onSave={async (body) => {
              onChange(await updateCohort(id, cohort.id, body));
              toast('Cohort saved.');
            }}
          />
        )}
        {shown === 'history' && <History cohort={cohort} />}
      </Tabs>
    </>
  );
}

function Members({ cohort }: { cohort: Cohort }) {
  const { id } = useProject();
  const [search] = useQueryState('search');
  const [offset, setOffset] = useOffset();
  const searchText = useDebounced(search.trim(), 250);
  const persons = useResource(
    (signal) => listCohortPersons(id, cohort.id, { search: searchText, limit: PAGE_SIZE, offset }, signal),
    [id, cohort.id, searchText, offset, cohort.last_calculation, cohort.is_calculating],
  );
  const columns: Column<ListedPerson>[] = [
    { id: 'name', title: 'Person', cell: ({ uuid, name }) => <PersonLink id={uuid} name={name} /> },
    {
      id: 'ids',
      title: 'Distinct ID',
      isWide: true,
      cell: ({ distinct_ids }) => <code class="truncate">{distinct_ids[0]}</code>,
    },
    { id: 'created', title: 'First seen', cell: ({ created_at }) => <Time at={created_at} as="relative" /> },
    ...(cohort.is_static
      ? [
          {
            id: 'remove',
            title: 'Remove',
            hideTitle: true,
            cell: ({ uuid, name }: ListedPerson) => (
              <Button
                small
                kind="quiet"
                aria-label={`Remove ${name}`}
                onClick={() => void removeFromCohort(id, cohort.id, uuid).then(persons.reload, toastError)}
              >
                Remove
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <div class="row-end">
        <TextField
          label="Search"
          type="search"
          placeholder="Email or distinct ID"
          value={search}
          onInput={(text) => changeFilter({ search: text })}
        />
        {cohort.count !== null && (
          <span class="muted small">
            {pluralize(cohort.count, 'person')}, calculated <Time at={cohort.last_calculation} as="relative" />
          </span>
        )}
      </div>
      <Loaded resource={persons}>
        {({ results, next }) => (
          <>
            <Table
              label="Persons in the cohort, newest first"
              columns={columns}
              rows={results}
              rowKey={({ uuid }) => uuid}
              empty={
                <Empty title={searchText === '' ? 'No persons in this cohort' : 'No matching persons'}>
                  {cohort.is_static
                    ? 'Add distinct IDs on the Edit tab.'
                    : 'No persons match the criteria, or the cohort has not been calculated yet.'}
                </Empty>
              }
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={null} hasNext={next !== null} onChange={setOffset} />
          </>
        )}
      </Loaded>
    </>
  );
}

function History({ cohort }: { cohort: Cohort }) {
  const { id } = useProject();
  const activity = useResource(
    (signal) => listActivity(id, ['cohorts', cohort.id], { limit: 100 }, signal),
    [id, cohort],
  );
  return (
    <Loaded resource={activity}>
      {({ results }) =>
        results.length === 0 ? (
          <Empty title="No activity yet">Changes to this cohort appear here.</Empty>
        ) : (
          <ActivityList label="Activity, newest first" entries={results} />
        )
      }
    </Loaded>
  );
}

function DeleteCohort({ cohort, onClose }: { cohort: Cohort; onClose(): void }) {
  const { id } = useProject();
  return (
    <Confirm
      title={`Delete ${cohort.name || 'this cohort'}?`}
      action="Delete cohort"
      danger
      onClose={onClose}
      onConfirm={async () => {
        await updateCohort(id, cohort.id, { deleted: true });
        toast('Cohort deleted.');
        navigate(pathTo('cohorts', { project: id }) ?? '/');
      }}
    >
      <p>
        {cohort.count === null ? 'Its persons' : `Its ${pluralize(cohort.count, 'person')}`} and their events are kept.
        Feature flags and insights that use the cohort will match no one. You can restore it through the API by setting{' '}
        <code>deleted</code> to false.
      </p>
    </Confirm>
  );
}
