import './flags-page.css';
import { useState } from 'preact/hooks';
import { archiveFlags, type FeatureFlag, listFlags } from '../../api/flags.ts';
import type { Paged } from '../../api/request.ts';
import { Button } from '../../components/button.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Banner, Empty, ErrorNote, Loaded } from '../../components/states.tsx';
import { Pager, Table } from '../../components/table.tsx';
import { toast } from '../../components/toast.tsx';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { ArchiveFlags } from './archive-flags.tsx';
import { useTargets } from './editor/use-targets.ts';
import { columnsOf } from './flag-columns.tsx';
import { DELETED, type FlagFilters, FlagListFilters, NO_FILTERS } from './list-filters.tsx';

const PAGE_SIZE = 50;

export function Page() {
  const project = useProject();
  const newPath = pathTo('flag', { project: project.id, flag: 'new' }) ?? '/';
  const importPath = pathTo('flags-import', { project: project.id }) ?? '/';
  return (
    <PageFrame
      title="Feature flags"
      lead="Release features gradually, target specific persons, and turn features off without deploying."
      actions={
        <>
          <Link class="button" to={pathTo('flags-drift', { project: project.id }) ?? '/'}>
            Drift
          </Link>
          <Link class="button" to={importPath}>
            Import
          </Link>
          <Link class="button primary" to={newPath}>
            New feature flag
          </Link>
        </>
      }
    >
      <FlagList newPath={newPath} importPath={importPath} />
    </PageFrame>
  );
}

function useFilters(): [FlagFilters, (changes: Partial<FlagFilters>) => void] {
  const [search, setSearch] = useQueryState('search');
  const [status, setStatus] = useQueryState('status');
  const [type, setType] = useQueryState('type');
  const [tag, setTag] = useQueryState('tag');
  const setters = { search: setSearch, status: setStatus, type: setType, tag: setTag };
  const change = (changes: Partial<FlagFilters>): void => {
    for (const [name, value] of Object.entries(changes)) setters[name as keyof FlagFilters](value);
  };
  return [{ search, status, type, tag }, change];
}

interface Paths {
  newPath: string;
  importPath: string;
}

function FlagList(paths: Paths) {
  const { id } = useProject();
  const { names } = useTargets(id);
  const [filters, setFilters] = useFilters();
  const [sort, setSort] = useQueryState('order', '-created_at');
  const [from, setFrom] = useQueryState('offset', '0', { isStep: true });
  const offset = Math.max(0, Number.parseInt(from, 10) || 0);
  const search = useDebounced(filters.search.trim(), 250);
  const tag = useDebounced(filters.tag.trim(), 250);
  const query = {
    search,
    ...(filters.status === DELETED ? { deleted: true } : { active: filters.status }),
    type: filters.type,
    tags: tag === '' ? null : JSON.stringify([tag]),
    order: sort,
    limit: PAGE_SIZE,
    offset,
  };
  const flags = useResource((signal) => listFlags(id, query, signal), [id, JSON.stringify(query)]);
  const change = (changes: Partial<FlagFilters>): void => {
    setFrom('0');
    setFilters(changes);
  };
  const replace = (page: Paged<FeatureFlag>, flag: FeatureFlag): void =>
    flags.set({ ...page, results: page.results.map((one) => (one.id === flag.id ? flag : one)) });
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [isArchiving, setArchiving] = useState(false);
  const [archived, setArchived] = useState<readonly FeatureFlag[]>([]);
  const canArchive = filters.status !== DELETED;
  const chosen = canArchive ? (flags.data?.results ?? []).filter((flag) => selected.has(flag.id)) : [];
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <>
      <FlagListFilters value={filters} onChange={change} />
      {archived.length > 0 && (
        <Archived flags={archived} onClose={() => setArchived([])} onRestored={() => flags.reload()} />
      )}
      {chosen.length > 0 && (
        <section class="bulk" aria-label="Selected flags">
          <b>{formatNumber(chosen.length)} selected</b>
          <Button small onClick={() => setArchiving(true)}>
            Archive…
          </Button>
          <Button small kind="quiet" onClick={() => setSelected(new Set())}>
            Clear selection
          </Button>
        </section>
      )}
      {isArchiving && (
        <ArchiveFlags
          flags={chosen}
          onClose={() => setArchiving(false)}
          onArchived={(done) => {
            setArchiving(false);
            setSelected(new Set());
            setArchived(done);
            flags.reload();
          }}
        />
      )}
      <Loaded resource={flags}>
        {(page) => (
          <div class="flags stack">
            <Table
              label="Feature flags"
              columns={columnsOf(names, {
                selection: canArchive ? { selected, onSelect: setSelected } : null,
                onTag: (one) => change({ tag: one }),
                onChanged: (flag) => replace(page, flag),
              })}
              rows={page.results}
              rowKey={(flag) => flag.id}
              onOpen={(flag) => navigate(pathTo('flag', { project: id, flag: flag.id }) ?? '/')}
              sort={sort}
              onSort={setSort}
              empty={isFiltered ? <NoResults onClear={() => change(NO_FILTERS)} /> : <NoFlags {...paths} />}
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={page.count} onChange={(next) => setFrom(String(next))} />
          </div>
        )}
      </Loaded>
    </>
  );
}

interface ArchivedProps {
  flags: readonly FeatureFlag[];
  onClose(): void;
  onRestored(): void;
}

function Archived({ flags, onClose, onRestored }: ArchivedProps) {
  const { id } = useProject();
  const undo = useAction(async () => {
    const ids = flags.map((flag) => flag.id);
    await archiveFlags(id, ids, false);
    toast(`${pluralize(flags.length, 'flag')} restored.`);
    onRestored();
    onClose();
  });
  return (
    <>
      <Banner
        action={
          <span class="row">
            <Button small busy={undo.busy} onClick={() => void undo.run()}>
              Undo
            </Button>
            <Button small kind="quiet" onClick={onClose}>
              Close
            </Button>
          </span>
        }
      >
        {pluralize(flags.length, 'flag')} archived: {flags.map(({ key }) => key).join(', ')}.
      </Banner>
      {undo.error !== undefined && <ErrorNote error={undo.error} />}
    </>
  );
}

const NoFlags = ({ newPath, importPath }: Paths) => (
  <Empty
    title="No feature flags yet"
    action={
      <span class="row">
        <Link class="button primary" to={newPath}>
          Create feature flag
        </Link>
        <Link class="button" to={importPath}>
          Import from another product
        </Link>
      </span>
    }
  >
    Your code checks a flag by its key. Release it to a percentage of persons, a cohort, a company, or anyone whose
    properties match. You see who is affected before you save.
  </Empty>
);

const NoResults = ({ onClear }: { onClear(): void }) => (
  <Empty title="No matching feature flags" action={<Button onClick={onClear}>Clear filters</Button>}>
    The search covers keys and descriptions. Deleted flags are listed by the status Deleted.
  </Empty>
);
