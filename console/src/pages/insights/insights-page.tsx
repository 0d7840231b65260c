import './insights-page.css';
import { listInsights, type SavedInsight, updateInsight } from '../../api/insights.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox, Select, TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { KIND_LABELS, titleOf } from './labels.ts';
import { pathOfInsight } from './path-of-insight.ts';
import { type Fields, KINDS, NAMES, newQuestion, toFields } from './question.ts';
import { readQuestion, toSearch } from './read-question.ts';

const PAGE_SIZE = 50;
const KIND_OPTIONS = [
  { value: '', label: 'All types' },
  ...KINDS.map((kind) => ({ value: NAMES[kind], label: KIND_LABELS[kind].label })),
  { value: 'SQL', label: 'SQL' },
];

export function Page() {
  const { id } = useProject();
  const [search, setSearch] = useQueryState('search');
  const [favorited, setFavorited] = useQueryState('favorited');
  const [insight, setInsight] = useQueryState('insight');
  const [order, setOrder] = useQueryState('order', '-last_modified_at');
  const [offset, setOffset] = useQueryState('offset', '0');
  const [deleted, setDeleted] = useQueryState('deleted');
  const text = useDebounced(search.trim(), 250);
  const query = { search: text, favorited, insight, deleted, order, limit: PAGE_SIZE, offset };
  const found = useResource((signal) => listInsights(id, query, signal), [id, JSON.stringify(query)]);
  const isFiltered = [search, favorited, insight, deleted].some((value) => value !== '');
  const toggleFavorite = async (one: SavedInsight): Promise<void> => {
    await updateInsight(id, one.id, { favorited: !one.favorited }).then(found.reload, toastError);
  };
  const restore = async (one: SavedInsight): Promise<void> => {
    await updateInsight(id, one.id, { deleted: false });
    toast(`${nameOf(one)} restored.`);
    found.reload();
  };
  const fromFirstPage = (change: (value: string) => void) => (value: string) => {
    setOffset('0');
    change(value);
  };
  return (
    <PageFrame
      title="Insights"
      lead="Saved trends, funnels, retention and more."
      actions={
        <Link class="button primary" to={pathTo('insight', { project: id, insight: 'new' }) ?? '/'}>
          New insight
        </Link>
      }
    >
      <div class="row-end">
        <TextField
          label="Search"
          type="search"
          placeholder="Name, description or tag"
          value={search}
          onInput={fromFirstPage(setSearch)}
        />
        <Select label="Type" value={insight} options={KIND_OPTIONS} onChange={fromFirstPage(setInsight)} />
        <Checkbox
          label="Favorites"
          checked={favorited !== ''}
          onChange={(isOn) => fromFirstPage(setFavorited)(isOn ? 'true' : '')}
        />
        <Checkbox
          label="Deleted"
          checked={deleted !== ''}
          onChange={(isOn) => fromFirstPage(setDeleted)(isOn ? 'true' : '')}
        />
      </div>
      <Loaded resource={found}>
        {({ results, count }) => (
          <>
            <Table
              label="Saved insights"
              columns={
                deleted === ''
                  ? columns(id, (one) => void toggleFavorite(one))
                  : deletedColumns((one) => void restore(one).catch(toastError))
              }
              rows={results}
              rowKey={({ id: key }) => key}
              sort={order}
              onSort={setOrder}
              empty={isFiltered ? <NoResults /> : <FirstInsights projectId={id} />}
            />
            <Pager offset={Number(offset)} limit={PAGE_SIZE} count={count} onChange={(at) => setOffset(String(at))} />
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}

const columns = (projectId: number, onToggleFavorite: (insight: SavedInsight) => void): Column<SavedInsight>[] => [
  {
    id: 'favorited',
    title: 'Favorite',
    hideTitle: true,
    cell: (insight) => (
      <button
        type="button"
        class="star"
        aria-pressed={insight.favorited}
        aria-label={`Favorite: ${nameOf(insight)}`}
        onClick={() => onToggleFavorite(insight)}
      >
        {insight.favorited ? '★' : '☆'}
      </button>
    ),
  },
  {
    id: 'name',
    title: 'Name',
    canSort: true,
    cell: (insight) => (
      <>
        <Link class="truncate" to={pathOfInsight(projectId, insight)}>
          {nameOf(insight)}
        </Link>
        {insight.description && <span class="truncate muted">{insight.description}</span>}
      </>
    ),
  },
  {
    id: 'kind',
    title: 'Type',
    cell: ({ filters, query }) => (
      <Badge>{query === null ? KIND_LABELS[readQuestion(filters as Fields).kind].label : 'SQL'}</Badge>
    ),
  },
  {
    id: 'dashboards',
    title: 'Dashboards',
    isNumber: true,
    isWide: true,
    cell: ({ dashboards }) => (dashboards.length === 0 ? '' : dashboards.length),
  },
  {
    id: 'last_modified_at',
    title: 'Last modified',
    canSort: true,
    isWide: true,
    cell: ({ last_modified_at, last_modified_by }) => (
      <>
        <Time at={last_modified_at} as="relative" />
        {last_modified_by && (
          <span class="truncate muted">{last_modified_by.first_name || last_modified_by.email}</span>
        )}
      </>
    ),
  },
];

/** They have no page, until they are restored. */
const deletedColumns = (onRestore: (insight: SavedInsight) => void): Column<SavedInsight>[] => [
  { id: 'name', title: 'Name', canSort: true, cell: nameOf },
  {
    id: 'restore',
    title: 'Restore',
    hideTitle: true,
    cell: (insight) => (
      <Button small aria-label={`Restore ${nameOf(insight)}`} onClick={() => onRestore(insight)}>
        Restore
      </Button>
    ),
  },
];

const nameOf = ({ name, derived_name, filters }: SavedInsight): string =>
  name || derived_name || titleOf(readQuestion(filters as Fields));

const NoResults = () => <Empty title="No matching insights">Try another search term, or clear the filters.</Empty>;

const FirstInsights = ({ projectId }: { projectId: number }) => (
  <Empty title="No saved insights yet">
    <p>Create an insight and save it:</p>
    <ul class="stack-s">
      {KINDS.map((kind) => (
        <li key={kind}>
          <Link
            to={`${pathTo('insight', { project: projectId, insight: 'new' })}?${toSearch(toFields(newQuestion(kind)))}`}
          >
            {KIND_LABELS[kind].label}
          </Link>
          {': '}
          {KIND_LABELS[kind].lead}
        </li>
      ))}
    </ul>
  </Empty>
);
