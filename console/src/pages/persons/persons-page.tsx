import './persons-page.css';
import { findProperties } from '../../api/definitions.ts';
import { type ListedPerson, listPersons, personsCsvPath } from '../../api/persons.ts';
import { CsvLink } from '../../components/csv-link.tsx';
import { TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { PropertyFilters } from '../../components/property-filters.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { TagInput } from '../../components/tag-input.tsx';
import { Time } from '../../components/time.tsx';
import { ValueText } from '../../components/value-text.tsx';
import { filtersToQuery, type PropertyFilter } from '../../lib/filters.ts';
import { PROPERTY_NAMES, propertyLabel } from '../../lib/friendly-names.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useJsonQueryState, useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { DeletionCard } from './deletion-card.tsx';

const PAGE_SIZE = 50;
const NO_FILTERS: PropertyFilter[] = [];
const COLUMNS = ['email'];

const own = (properties: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(properties, key) ? properties[key] : undefined;

function columnsOf(shown: readonly string[]): Column<ListedPerson>[] {
  return [
    { id: 'name', title: 'Person', cell: ({ uuid, name }) => <PersonLink id={uuid} name={name} /> },
    ...shown.map((key) => ({
      id: `property ${key}`,
      title: propertyLabel(key),
      isWide: true,
      cell: ({ properties }: ListedPerson) => (
        <span class="truncate">
          {own(properties, key) === undefined ? (
            <span class="muted">–</span>
          ) : (
            <ValueText value={own(properties, key)} />
          )}
        </span>
      ),
    })),
    {
      id: 'ids',
      title: 'Distinct IDs',
      isWide: true,
      cell: ({ distinct_ids: ids }) => (
        <span class="person-ids">
          <code class="truncate">{ids[0]}</code>
          {ids.length > 1 && <span class="muted">+{formatNumber(ids.length - 1)}</span>}
        </span>
      ),
    },
    { id: 'created', title: 'First seen', cell: ({ created_at }) => <Time at={created_at} as="relative" /> },
  ];
}

export function Page() {
  const { id } = useProject();
  const [search] = useQueryState('search');
  const [filters] = useJsonQueryState<PropertyFilter[]>('properties', NO_FILTERS);
  const [shown, setShown] = useJsonQueryState<string[]>('columns', COLUMNS);
  const [deletion, setDeletion] = useQueryState('deletion');
  const [offset, setOffset] = useOffset();
  const query = {
    search: useDebounced(search.trim(), 250),
    properties: useDebounced(filtersToQuery(filters), 250),
  };
  const persons = useResource(
    (signal) => listPersons(id, { ...query, limit: PAGE_SIZE, offset }, signal),
    [id, query.search, query.properties, offset],
  );
  const isFiltered = query.search !== '' || query.properties !== undefined;
  return (
    <PageFrame
      title="Persons"
      lead="Everyone who has sent events, newest first. Open a person to see their properties, events and feature flags."
      actions={<CsvLink href={personsCsvPath(id, query)} name="persons.csv" />}
    >
      {deletion !== '' && <DeletionCard id={deletion} onClose={() => setDeletion('')} />}
      <div class="person-tools">
        <TextField
          label="Search"
          type="search"
          placeholder="Email or distinct ID"
          value={search}
          onInput={(text) => changeFilter({ search: text })}
        />
        <div class="field columns">
          <span class="label">Columns</span>
          <TagInput
            label="Add column"
            placeholder="Add property"
            names={PROPERTY_NAMES}
            value={shown}
            onChange={setShown}
            suggest={async (text, signal) =>
              (await findProperties(id, 'person', text, signal)).map(({ name }) => ({ value: name }))
            }
            inputs={[id]}
          />
        </div>
      </div>
      <PropertyFilters
        value={filters}
        onChange={(next) => changeFilter({ properties: next.length === 0 ? null : JSON.stringify(next) })}
        owners={['person']}
        addLabel="Add filter"
      />
      <Loaded resource={persons}>
        {({ results, next }) => (
          <>
            <Table
              label="Persons, newest first"
              columns={columnsOf(shown)}
              rows={results}
              rowKey={({ uuid }) => uuid}
              onOpen={({ uuid }) => navigate(pathTo('person', { project: id, person: uuid }) ?? '/')}
              empty={isFiltered || offset > 0 ? <NoResults /> : <NoPersons projectId={id} />}
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={null} hasNext={next !== null} onChange={setOffset} />
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}

const NoPersons = ({ projectId }: { projectId: number }) => (
  <Empty
    title="No persons yet"
    action={<Link to={pathTo('welcome', { project: projectId }) ?? '/'}>Install an SDK</Link>}
  >
    A person is created with the first event of a distinct ID. Call <code>identify</code> to link anonymous and
    signed-in activity.
  </Empty>
);

const NoResults = () => (
  <Empty title="No matching persons">
    Search by part of an email address or a complete distinct ID. All filters must match.
  </Empty>
);
