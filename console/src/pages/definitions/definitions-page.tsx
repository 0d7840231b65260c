import './definitions.css';
import { useState } from 'preact/hooks';
import { listMembers, type Member } from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox, Switch, TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { EventName, PropertyName } from '../../components/names.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Tags } from '../../components/tag-input.tsx';
import { Time } from '../../components/time.tsx';
import { toastError } from '../../components/toast.tsx';
import { eventLabel, propertyLabel } from '../../lib/friendly-names.ts';
import { formatNumber } from '../../lib/numbers.ts';
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
  type Definition,
  KINDS,
  type Kind,
  listDefinitions,
  updateDefinition,
} from './definition-kinds.ts';
import { EditDefinition } from './edit-definition.tsx';
import { InlineText } from './inline-text.tsx';

export function Page() {
  const [tab] = useQueryState('tab', 'events');
  const kind = KINDS.find(({ id }) => id === tab)?.id ?? 'events';
  const select = (next: Kind): void =>
    changeQuery({ tab: next === 'events' ? null : next, offset: null, ordering: null, open: null }, { replace: true });
  return (
    <PageFrame
      title="Definitions"
      lead="All events and properties that your project has received. Describe, tag and verify them for your team."
    >
      <Tabs label="Type" tabs={KINDS} value={kind} onChange={select}>
        <DefinitionList key={kind} kind={kind} />
      </Tabs>
    </PageFrame>
  );
}

const PAGE_SIZE = 50;

function DefinitionList({ kind }: { kind: Kind }) {
  const project = useProject();
  const [search] = useQueryState('search');
  const [ordering] = useQueryState('ordering', '-volume_30_day');
  const [open, setOpen] = useQueryState('open', '', { isStep: true });
  const [offset, setOffset] = useOffset();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const searchText = useDebounced(search.trim(), 250);
  const list = useResource(
    (signal) => listDefinitions(project.id, kind, { search: searchText, ordering, limit: PAGE_SIZE, offset }, signal),
    [project.id, kind, searchText, ordering, offset],
  );
  const members = useResource((signal) => listMembers(project.organization, signal), [project.organization]);
  const items = list.data?.items ?? [];
  const opened = items.find(({ id }) => id === open);
  const change = (one: Definition, changes: Changes): void =>
    void updateDefinition(project.id, kind, one.id, changes).then(list.reload, toastError);
  const select = (ids: readonly string[], isSelected: boolean): void =>
    setSelected((before) => {
      const next = new Set(before);
      for (const id of ids) isSelected ? next.add(id) : next.delete(id);
      return next;
    });
  const columns = columnsFor(kind, { members: members.data ?? [], selected, select, change, edit: setOpen });
  return (
    <>
      <div class="definition-tools">
        <TextField
          label="Search"
          type="search"
          placeholder="Search by name"
          value={search}
          onInput={(text) => changeFilter({ search: text })}
        />
        <Checkbox
          label="Select all on this page"
          checked={items.length > 0 && items.every(({ id }) => selected.has(id))}
          onChange={(isSelected) =>
            select(
              items.map(({ id }) => id),
              isSelected,
            )
          }
        />
      </div>
      {selected.size > 0 && (
        <BulkBar
          kind={kind}
          selected={items.filter(({ id }) => selected.has(id))}
          members={members.data ?? []}
          onClear={() => setSelected(new Set())}
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
              empty={<NoDefinitions isSearched={searchText !== ''} projectId={project.id} />}
            />
            <Pager
              offset={offset}
              limit={PAGE_SIZE}
              count={count}
              onChange={(next) => {
                setSelected(new Set());
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

interface TableActions {
  members: readonly Member[];
  selected: ReadonlySet<string>;
  select(ids: readonly string[], isSelected: boolean): void;
  change(one: Definition, changes: Changes): void;
  edit(id: string): void;
}

function columnsFor(kind: Kind, { members, selected, select, change, edit }: TableActions): Column<Definition>[] {
  const nameOf = (owner: number | null | undefined): string => {
    const user = members.find((member) => member.user.id === owner)?.user;
    return user ? user.first_name || user.email : '';
  };
  const labelOf = kind === 'events' ? eventLabel : propertyLabel;
  const ofEvents: Column<Definition>[] = [
    {
      id: 'owner',
      title: 'Owner',
      isExtraWide: true,
      cell: ({ owner }) => <span class="truncate">{nameOf(owner)}</span>,
    },
    {
      id: 'volume_30_day',
      title: 'Volume (30d)',
      isNumber: true,
      canSort: true,
      cell: ({ volume }) => formatNumber(volume ?? 0),
    },
    {
      id: 'seen',
      title: 'Last seen',
      isWide: true,
      cell: ({ lastSeenAt }) => <Time at={lastSeenAt ?? null} as="relative" />,
    },
  ];
  const ofProperties: Column<Definition>[] = [
    { id: 'type', title: 'Type', isWide: true, cell: ({ type }) => type ?? <span class="muted">Unknown</span> },
  ];
  return [
    {
      id: 'chosen',
      title: 'Select',
      hideTitle: true,
      cell: ({ id, name }) => (
        <Checkbox
          label={<span class="visually-hidden">Select {labelOf(name)}</span>}
          checked={selected.has(id)}
          onChange={(isSelected) => select([id], isSelected)}
        />
      ),
    },
    { id: 'name', title: 'Name', canSort: true, cell: ({ name }) => <DefinitionName kind={kind} name={name} /> },
    {
      id: 'description',
      title: 'Description',
      isWide: true,
      cell: (one) => (
        <InlineText
          label={`Description of ${labelOf(one.name)}`}
          value={one.description}
          placeholder="Add description"
          onSave={(description) => change(one, { description })}
        />
      ),
    },
    {
      id: 'tags',
      title: 'Tags',
      isExtraWide: true,
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
          label={<span class="visually-hidden">Verified: {labelOf(one.name)}</span>}
          checked={one.verified}
          onChange={(verified) => change(one, { verified })}
        />
      ),
    },
    {
      id: 'edit',
      title: 'Edit',
      hideTitle: true,
      cell: ({ id, name }) => (
        <Button small kind="quiet" aria-label={`Edit ${labelOf(name)}`} onClick={() => edit(id)}>
          Edit
        </Button>
      ),
    },
  ];
}

const DefinitionName = ({ kind, name }: { kind: Kind; name: string }) => (
  <span class="definition-name">
    {kind === 'events' ? <EventName name={name} hasRaw /> : <PropertyName name={name} hasRaw />}
  </span>
);

const NoDefinitions = ({ isSearched, projectId }: { isSearched: boolean; projectId: number }) =>
  isSearched ? (
    <Empty title="No matching definitions">Try another name, or clear the search.</Empty>
  ) : (
    <Empty
      title="No definitions yet"
      action={<Link to={pathTo('welcome', { project: projectId }) ?? '/'}>Install an SDK</Link>}
    >
      Events and properties appear here when they are first received. You do not need to define them in advance.
    </Empty>
  );
