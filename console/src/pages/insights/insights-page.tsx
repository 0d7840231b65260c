/** Questions that were kept. */
import { listInsights, type SavedInsight, updateInsight } from '../../api/insights.ts';
import './insights-page.css';
import { Checkbox, Select, TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { toastError } from '../../components/toast.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { KIND_WORDS, titleOf } from './labels.ts';
import { type Fields, KINDS, NAMES, newQuestion, toFields } from './question.ts';
import { readQuestion, toSearch } from './read-question.ts';

const SHOWN = 50;
const KIND_OPTIONS = [
  { value: '', label: 'Every kind' },
  ...KINDS.map((kind) => ({ value: NAMES[kind], label: KIND_WORDS[kind].label })),
];

export function Page() {
  const { id } = useProject();
  const [search, setSearch] = useQueryState('search');
  const [favorited, setFavorited] = useQueryState('favorited');
  const [insight, setInsight] = useQueryState('insight');
  const [order, setOrder] = useQueryState('order', '-last_modified_at');
  const [offset, setOffset] = useQueryState('offset', '0');
  const query = { search: useDebounced(search.trim(), 250), favorited, insight, order, limit: SHOWN, offset };
  const found = useResource((signal) => listInsights(id, query, signal), [id, JSON.stringify(query)]);
  const isFiltered = search !== '' || favorited !== '' || insight !== '';
  const favour = async (one: SavedInsight): Promise<void> => {
    await updateInsight(id, one.id, { favorited: !one.favorited }).then(found.reload, toastError);
  };
  const beginning = (change: (value: string) => void) => (value: string) => {
    setOffset('0');
    change(value);
  };
  return (
    <PageFrame
      title="Insights"
      lead="Questions about what people do, kept to look at again."
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
          placeholder="name, description or tag"
          value={search}
          onInput={beginning(setSearch)}
        />
        <Select label="Kind" value={insight} options={KIND_OPTIONS} onChange={beginning(setInsight)} />
        <Checkbox
          label="Favourites"
          checked={favorited !== ''}
          onChange={(isOn) => beginning(setFavorited)(isOn ? 'true' : '')}
        />
      </div>
      <Loaded resource={found}>
        {({ results, count }) => (
          <>
            <Table
              label="Saved insights"
              columns={columns(id, (one) => void favour(one))}
              rows={results}
              rowKey={({ id: key }) => key}
              sort={order}
              onSort={setOrder}
              empty={isFiltered ? <NothingFits /> : <Beginnings projectId={id} />}
            />
            <Pager offset={Number(offset)} limit={SHOWN} count={count} onChange={(at) => setOffset(String(at))} />
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}

const columns = (projectId: number, onFavour: (insight: SavedInsight) => void): Column<SavedInsight>[] => [
  {
    id: 'favorited',
    title: '',
    cell: (insight) => (
      <button
        type="button"
        class="star"
        aria-pressed={insight.favorited}
        aria-label={`Favourite: ${nameOf(insight)}`}
        onClick={() => onFavour(insight)}
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
        <Link class="cut" to={pathTo('insight', { project: projectId, insight: insight.id }) ?? '/'}>
          {nameOf(insight)}
        </Link>
        {insight.description && <span class="cut soft">{insight.description}</span>}
      </>
    ),
  },
  {
    id: 'kind',
    title: 'Kind',
    cell: ({ filters }) => <Badge>{KIND_WORDS[readQuestion(filters as Fields).kind].label}</Badge>,
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
    title: 'Changed',
    canSort: true,
    isWide: true,
    cell: ({ last_modified_at, last_modified_by }) => (
      <>
        <Time at={last_modified_at} as="ago" />
        {last_modified_by && <span class="cut soft">{last_modified_by.first_name || last_modified_by.email}</span>}
      </>
    ),
  },
];

const nameOf = ({ name, derived_name, filters }: SavedInsight): string =>
  name || derived_name || titleOf(readQuestion(filters as Fields));

const NothingFits = () => <Empty title="No insight fits">Try another word, or look at every kind.</Empty>;

/** A first question of each kind, to begin from. */
const Beginnings = ({ projectId }: { projectId: number }) => (
  <Empty title="Nothing is kept yet">
    <p>Ask something, and save what you want to see again:</p>
    <ul class="stack-s">
      {KINDS.map((kind) => (
        <li key={kind}>
          <Link
            to={`${pathTo('insight', { project: projectId, insight: 'new' })}?${toSearch(toFields(newQuestion(kind)))}`}
          >
            {KIND_WORDS[kind].label}
          </Link>
          {': '}
          {KIND_WORDS[kind].lead}
        </li>
      ))}
    </ul>
  </Empty>
);
