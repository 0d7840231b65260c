/** Everybody whom events tell of: found by what they are called or what they are like. */
import { findProperties } from '../../api/definitions.ts';
import { type ListedPerson, listPersons, personsCsvPath } from '../../api/persons.ts';
import './persons-page.css';
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
import { type PropertyFilter, toQuery } from '../../lib/filters.ts';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useJsonQueryState, useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { DeletionCard } from './deletion-card.tsx';

const LIMIT = 50;
const NO_FILTERS: PropertyFilter[] = [];
const COLUMNS = ['email'];

const own = (properties: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(properties, key) ? properties[key] : undefined;

function columnsOf(shown: readonly string[]): Column<ListedPerson>[] {
  return [
    { id: 'name', title: 'Person', cell: ({ uuid, name }) => <PersonLink id={uuid} name={name} /> },
    ...shown.map((key) => ({
      id: `property ${key}`,
      title: key,
      isWide: true,
      cell: ({ properties }: ListedPerson) => (
        <span class="cut">
          {own(properties, key) === undefined ? (
            <span class="soft">–</span>
          ) : (
            <ValueText value={own(properties, key)} />
          )}
        </span>
      ),
    })),
    {
      id: 'ids',
      title: 'Distinct ids',
      isWide: true,
      cell: ({ distinct_ids: ids }) => (
        <span class="person-ids">
          <code class="cut">{ids[0]}</code>
          {ids.length > 1 && <span class="soft">+{ids.length - 1}</span>}
        </span>
      ),
    },
    { id: 'created', title: 'First seen', cell: ({ created_at }) => <Time at={created_at} as="ago" /> },
  ];
}

export function Page() {
  const { id } = useProject();
  const [search] = useQueryState('search');
  const [filters] = useJsonQueryState<PropertyFilter[]>('properties', NO_FILTERS);
  const [shown, setShown] = useJsonQueryState<string[]>('columns', COLUMNS);
  const [deletion, setDeletion] = useQueryState('deletion');
  const [offset, setOffset] = useOffset();
  const question = {
    search: useDebounced(search.trim(), 250),
    properties: useDebounced(toQuery(filters), 250),
  };
  const persons = useResource(
    (signal) => listPersons(id, { ...question, limit: LIMIT, offset }, signal),
    [id, question.search, question.properties, offset],
  );
  const isFiltered = question.search !== '' || question.properties !== undefined;
  return (
    <PageFrame
      title="Persons"
      lead="Everybody whom your events tell of, newest first. Open one to see what they did, which flags they get and why."
      actions={<CsvLink href={personsCsvPath(id, question)} name="persons.csv" />}
    >
      {deletion !== '' && <DeletionCard id={deletion} onClose={() => setDeletion('')} />}
      <div class="person-tools">
        <TextField
          label="Search"
          type="search"
          placeholder="part of an e-mail, or a whole distinct id"
          value={search}
          onInput={(text) => changeFilter({ search: text })}
        />
        <div class="field columns">
          <span class="label">Columns</span>
          <TagInput
            label="Show a property as a column"
            placeholder="add a property"
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
        addLabel="Filter by a property"
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
              empty={isFiltered || offset > 0 ? <NobodyFits /> : <NobodyYet projectId={id} />}
            />
            <Pager offset={offset} limit={LIMIT} count={null} hasNext={next !== null} onChange={setOffset} />
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}

const NobodyYet = ({ projectId }: { projectId: number }) => (
  <Empty
    title="Nobody yet"
    action={<Link to={pathTo('welcome', { project: projectId }) ?? '/'}>Connect your product</Link>}
  >
    The first event of a distinct id makes a person; <code>identify</code> joins the ids of one human.
  </Empty>
);

const NobodyFits = () => (
  <Empty title="Nobody fits">
    The search looks for a part of the e-mail or for a whole distinct id. Every condition must hold.
  </Empty>
);
