/** One cohort: who is in it, why, and how to change that. */

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
import { Banner, Empty, Loaded, Progress } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { countOf } from '../../lib/format.ts';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useInterval, useResource } from '../../lib/use-resource.ts';
import { CohortFields } from './cohort-form.tsx';

const LIMIT = 50;
const EVERY_MS = 1500;
const TABS = [
  { id: 'persons', label: 'Persons' },
  { id: 'criteria', label: 'Criteria' },
  { id: 'history', label: 'History' },
] as const;

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const key = params['cohort'] ?? '';
  const cohort = useResource((signal) => getCohort(id, key, signal), [id, key]);
  const { data } = cohort;
  const [isDeleting, setDeleting] = useState(false);
  useInterval(() => {
    if (data?.is_calculating) cohort.reload();
  }, EVERY_MS);
  return (
    <PageFrame
      title={data?.name || 'Cohort'}
      lead={data?.description || <Link to={pathTo('cohorts', { project: id }) ?? '/'}>All cohorts</Link>}
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
      <Loaded resource={cohort}>{(known) => <About cohort={known} onChange={cohort.set} />}</Loaded>
      {isDeleting && data && <DeleteCohort cohort={data} onClose={() => setDeleting(false)} />}
    </PageFrame>
  );
}

function About({ cohort, onChange }: { cohort: Cohort; onChange(cohort: Cohort): void }) {
  const { id } = useProject();
  const [tab, setTab] = useQueryState('tab', 'persons');
  const shown = TABS.find((one) => one.id === tab)?.id ?? 'persons';
  return (
    <>
      {cohort.is_calculating && <Progress label="Calculating who is in it…" />}
      {!cohort.is_calculating && cohort.errors_calculating > 0 && (
        <Banner tone="bad">
          The last {countOf(cohort.errors_calculating, 'calculation')} failed, so the list may be out of date. Save the
          criteria again to try at once; the log of the server says what went wrong.
        </Banner>
      )}
      <Tabs
        label="About the cohort"
        tabs={TABS.map((one) => (one.id === 'criteria' && cohort.is_static ? { ...one, label: 'Edit' } : one))}
        value={shown}
        onChange={setTab}
      >
        {shown === 'persons' && <Members cohort={cohort} />}
        {shown === 'criteria' && (
          <CohortFields
            cohort={cohort}
            onSave={async (body) => {
              onChange(await updateCohort(id, cohort.id, body));
              toast('Saved.');
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
  const wanted = useDebounced(search.trim(), 250);
  const persons = useResource(
    (signal) => listCohortPersons(id, cohort.id, { search: wanted, limit: LIMIT, offset }, signal),
    [id, cohort.id, wanted, offset, cohort.last_calculation, cohort.is_calculating],
  );
  const columns: Column<ListedPerson>[] = [
    { id: 'name', title: 'Person', cell: ({ uuid, name }) => <PersonLink id={uuid} name={name} /> },
    {
      id: 'ids',
      title: 'Distinct id',
      isWide: true,
      cell: ({ distinct_ids }) => <code class="cut">{distinct_ids[0]}</code>,
    },
    { id: 'created', title: 'First seen', cell: ({ created_at }) => <Time at={created_at} as="ago" /> },
    ...(cohort.is_static
      ? [
          {
            id: 'out',
            title: '',
            cell: ({ uuid, name }: ListedPerson) => (
              <Button
                small
                kind="quiet"
                aria-label={`Take ${name} out`}
                onClick={() => void removeFromCohort(id, cohort.id, uuid).then(persons.reload, toastError)}
              >
                Take out
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
          placeholder="part of an e-mail, or a whole distinct id"
          value={search}
          onInput={(text) => changeFilter({ search: text })}
        />
        {cohort.count !== null && (
          <span class="soft small">
            {countOf(cohort.count, 'person', 'persons')} as of <Time at={cohort.last_calculation} as="ago" />
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
                <Empty title={wanted === '' ? 'Nobody is in it' : 'Nobody in it is called so'}>
                  {cohort.is_static
                    ? 'Add distinct ids under Edit.'
                    : 'Nobody fits the criteria, or they have not been calculated yet.'}
                </Empty>
              }
            />
            <Pager offset={offset} limit={LIMIT} count={null} hasNext={next !== null} onChange={setOffset} />
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
          <Empty title="Nothing yet">Who changed the cohort is listed here.</Empty>
        ) : (
          <ActivityList label="Changes of the cohort, newest first" entries={results} />
        )
      }
    </Loaded>
  );
}

function DeleteCohort({ cohort, onClose }: { cohort: Cohort; onClose(): void }) {
  const { id } = useProject();
  return (
    <Confirm
      title={`Delete ${cohort.name || 'the cohort'}?`}
      action="Delete the cohort"
      danger
      onClose={onClose}
      onConfirm={async () => {
        await updateCohort(id, cohort.id, { deleted: true });
        toast('The cohort is deleted.');
        navigate(pathTo('cohorts', { project: id }) ?? '/');
      }}
    >
      <p>
        {cohort.count === null ? 'Its persons' : countOf(cohort.count, 'person', 'persons')} and their events stay as
        they are; only the cohort goes. Flags and charts that ask for it find nobody in it from then on. The API can
        bring it back: set <code>deleted</code> to false.
      </p>
    </Confirm>
  );
}
