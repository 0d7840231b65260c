/** Names of events and properties, and what people say of them. */
import { listMembers, type Member } from '../../api/organizations.ts';
import './definitions.css';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Checkbox, Switch, TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Tags } from '../../components/tag-input.tsx';
import { Time } from '../../components/time.tsx';
import { toastError } from '../../components/toast.tsx';
import { formatNumber } from '../../lib/format.ts';
import { pathTo } from '../../lib/route-table.ts';
import { changeQuery } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { changeFilter, useOffset } from '../../lib/use-offset.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useResource } from '../../lib/use-resource.ts';
import { BulkBar } from './bulk-bar.tsx';
import {
  type Changes,
  changeDefinition,
  type Definition,
  KINDS,
  type Kind,
  listDefinitions,
} from './definition-kinds.ts';
import { EditDefinition } from './edit-definition.tsx';
import { InlineText } from './inline-text.tsx';

export function Page() {
  const [tab] = useQueryState('tab', 'events');
  const kind = KINDS.find(({ id }) => id === tab)?.id ?? 'events';
  const choose = (next: Kind): void =>
    changeQuery({ tab: next === 'events' ? null : next, offset: null, ordering: null, open: null }, { replace: true });
  return (
    <PageFrame
      title="Definitions"
      lead="Every name that has come with an event. Say what it means, who looks after it, and whether it can be relied on."
    >
      <Tabs label="What is defined" tabs={KINDS} value={kind} onChange={choose}>
        <DefinitionList key={kind} kind={kind} />
      </Tabs>
    </PageFrame>
  );
}

const LIMIT = 50;

function DefinitionList({ kind }: { kind: Kind }) {
  const project = useProject();
  const [search] = useQueryState('search');
  const [ordering] = useQueryState('ordering', '-volume_30_day');
  const [open, setOpen] = useQueryState('open', '', { isStep: true });
  const [offset, setOffset] = useOffset();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const wanted = useDebounced(search.trim(), 250);
  const list = useResource(
    (signal) => listDefinitions(project.id, kind, { search: wanted, ordering, limit: LIMIT, offset }, signal),
    [project.id, kind, wanted, ordering, offset],
  );
  const members = useResource((signal) => listMembers(project.organization, signal), [project.organization]);
  const items = list.data?.items ?? [];
  const opened = items.find(({ id }) => id === open);
  const change = (one: Definition, changes: Changes): void =>
    void changeDefinition(project.id, kind, one.id, changes).then(list.reload, toastError);
  const choose = (ids: readonly string[], isChosen: boolean): void =>
    setChosen((before) => {
      const next = new Set(before);
      for (const id of ids) isChosen ? next.add(id) : next.delete(id);
      return next;
    });
  const columns = columnsFor(kind, { members: members.data ?? [], chosen, choose, change, edit: setOpen });
  return (
    <>
      <div class="definition-tools">
        <TextField
          label="Search"
          type="search"
          placeholder="words of the name"
          value={search}
          onInput={(text) => changeFilter({ search: text })}
        />
        <Checkbox
          label="Choose all on this page"
          checked={items.length > 0 && items.every(({ id }) => chosen.has(id))}
          onChange={(isChosen) =>
            choose(
              items.map(({ id }) => id),
              isChosen,
            )
          }
        />
      </div>
      {chosen.size > 0 && (
        <BulkBar
          kind={kind}
          chosen={items.filter(({ id }) => chosen.has(id))}
          members={members.data ?? []}
          onClear={() => setChosen(new Set())}
          onDone={list.reload}
        />
      )}
      <Loaded resource={list}>
        {({ count, items: rows }) => (
          <>
            <Table
              label="Definitions"
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              {...(kind === 'events' && { sort: ordering, onSort: (next: string) => changeFilter({ ordering: next }) })}
              empty={<Nothing isSearched={wanted !== ''} projectId={project.id} />}
            />
            <Pager
              offset={offset}
              limit={LIMIT}
              count={count}
              onChange={(next) => {
                setChosen(new Set());
                setOffset(next);
              }}
            />
          </>
        )}
      </Loaded>
      {opened && (
        <EditDefinition
          key={opened.id}
          kind={kind}
          definition={opened}
          members={members.data ?? []}
          onDone={list.reload}
          onClose={() => setOpen('')}
        />
      )}
    </>
  );
}

interface Deeds {
  members: readonly Member[];
  chosen: ReadonlySet<string>;
  choose(ids: readonly string[], isChosen: boolean): void;
  change(one: Definition, changes: Changes): void;
  edit(id: string): void;
}

function columnsFor(kind: Kind, { members, chosen, choose, change, edit }: Deeds): Column<Definition>[] {
  const nameOf = (owner: number | null | undefined): string => {
    const user = members.find((member) => member.user.id === owner)?.user;
    return user ? user.first_name || user.email : '';
  };
  const ofEvents: Column<Definition>[] = [
    { id: 'owner', title: 'Owner', isWide: true, cell: ({ owner }) => <span class="cut">{nameOf(owner)}</span> },
    {
      id: 'volume_30_day',
      title: '30 days',
      isNumber: true,
      canSort: true,
      cell: ({ volume }) => formatNumber(volume ?? 0),
    },
    {
      id: 'seen',
      title: 'Last seen',
      isWide: true,
      cell: ({ lastSeenAt }) => <Time at={lastSeenAt ?? null} as="ago" />,
    },
  ];
  const ofProperties: Column<Definition>[] = [
    { id: 'type', title: 'Type', isWide: true, cell: ({ type }) => type ?? <span class="soft">unknown</span> },
  ];
  return [
    {
      id: 'chosen',
      title: '',
      cell: ({ id, name }) => (
        <Checkbox
          label={<span class="unseen">Choose {name}</span>}
          checked={chosen.has(id)}
          onChange={(isChosen) => choose([id], isChosen)}
        />
      ),
    },
    { id: 'name', title: 'Name', canSort: true, cell: ({ name }) => <span class="definition-name">{name}</span> },
    {
      id: 'description',
      title: 'Description',
      isWide: true,
      cell: (one) => (
        <InlineText
          label={`Description of ${one.name}`}
          value={one.description}
          placeholder="Say what it means"
          onSave={(description) => change(one, { description })}
        />
      ),
    },
    {
      id: 'tags',
      title: 'Tags',
      isWide: true,
      cell: ({ tags }) => (
        <span class="tags">
          <Tags value={tags} />
        </span>
      ),
    },
    ...(kind === 'events' ? ofEvents : ofProperties),
    {
      id: 'verified',
      title: 'Verified',
      isWide: true,
      cell: (one) => (
        <Switch
          label={<span class="unseen">Verified: {one.name}</span>}
          checked={one.verified}
          onChange={(verified) => change(one, { verified })}
        />
      ),
    },
    {
      id: 'edit',
      title: '',
      cell: ({ id, name }) => (
        <Button small kind="quiet" aria-label={`Edit ${name}`} onClick={() => edit(id)}>
          Edit
        </Button>
      ),
    },
  ];
}

const Nothing = ({ isSearched, projectId }: { isSearched: boolean; projectId: number }) =>
  isSearched ? (
    <Empty title="No name fits">Every word of the search must be part of the name.</Empty>
  ) : (
    <Empty
      title="No names yet"
      action={<Link to={pathTo('welcome', { project: projectId }) ?? '/'}>Connect your product</Link>}
    >
      Names appear here with the first event that carries them. There is nothing to declare beforehand.
    </Empty>
  );
