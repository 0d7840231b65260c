import { useState } from 'preact/hooks';
import { type Group, type GroupType, listGroups, listGroupTypes, updateGroupType } from '../../api/groups.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, ErrorNote, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { ValueText } from '../../components/value-text.tsx';
import { changeQuery } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { GroupLink } from './group-link.tsx';
import { pluralOf } from './group-names.ts';

const PAGE_SIZE = 50;

export function Page() {
  const { id } = useProject();
  const types = useResource((signal) => listGroupTypes(id, signal), [id]);
  return (
    <PageFrame title="Groups" lead="Companies, teams or accounts that your events belong to. Up to five group types.">
      <Loaded resource={types}>
        {(data) => (data.length === 0 ? <NoGroups /> : <GroupTypes types={data} onChange={types.set} />)}
      </Loaded>
    </PageFrame>
  );
}

const NoGroups = () => (
  <Empty title="No groups yet">
    Call{' '}
    <code>
      posthog.group('company', 'acme', {'{'} name: 'Acme' {'}'})
    </code>{' '}
    in your app to associate events with a company. You can then roll out feature flags by group.
  </Empty>
);

function GroupTypes({ types, onChange }: { types: readonly GroupType[]; onChange(types: GroupType[]): void }) {
  const [tab] = useQueryState('kind', '0');
  const [isRenaming, setRenaming] = useState(false);
  const shown = types.find(({ group_type_index: index }) => String(index) === tab) ?? types[0];
  if (!shown) return <NoGroups />;
  return (
    <Tabs
      label="Group type"
      tabs={types.map((type) => ({ id: String(type.group_type_index), label: pluralOf(type) }))}
      value={String(shown.group_type_index)}
      onChange={(kind) => changeQuery({ kind, cursor: null }, { replace: true })}
    >
      <GroupList key={shown.group_type_index} type={shown} onRename={() => setRenaming(true)} />
      {isRenaming && <RenameGroupType type={shown} onDone={onChange} onClose={() => setRenaming(false)} />}
    </Tabs>
  );
}

const COLUMNS: readonly Column<Group>[] = [
  {
    id: 'key',
    title: 'Key',
    cell: ({ group_type_index, group_key }) => <GroupLink type={group_type_index} name={group_key} />,
  },
  {
    id: 'name',
    title: 'Name',
    cell: ({ group_properties: { name } }) => (
      <span class="truncate">{name !== undefined && <ValueText value={name} />}</span>
    ),
  },
  {
    id: 'properties',
    title: 'Properties',
    isWide: true,
    isNumber: true,
    cell: ({ group_properties }) => Object.keys(group_properties).length,
  },
  { id: 'created', title: 'First seen', cell: ({ created_at }) => <Time at={created_at} as="relative" /> },
];

const cursorOf = (link: string | null): string | null => link && new URL(link).searchParams.get('cursor');

function GroupList({ type, onRename }: { type: GroupType; onRename(): void }) {
  const { id } = useProject();
  const { group_type_index: index } = type;
  const [search] = useQueryState('search');
  const [cursor] = useQueryState('cursor');
  const searchText = useDebounced(search.trim(), 250);
  const groups = useResource(
    (signal) => listGroups(id, { group_type_index: index, search: searchText, cursor, limit: PAGE_SIZE }, signal),
    [id, index, searchText, cursor],
  );
  const go = (link: string | null): void => changeQuery({ cursor: cursorOf(link) });
  return (
    <>
      <div class="row-end">
        <TextField
          label="Search"
          type="search"
          placeholder="Key or property"
          value={search}
          onInput={(text) => changeQuery({ search: text, cursor: null }, { replace: true })}
        />
        <Button onClick={onRename}>Rename group type…</Button>
      </div>
      <Loaded resource={groups}>
        {({ results, next, previous }) => (
          <>
            <Table
              label={`${pluralOf(type)}, newest first`}
              columns={COLUMNS}
              rows={results}
              rowKey={({ group_key }) => group_key}
              empty={<Empty title="No matching groups">The search covers keys and properties. Try another term.</Empty>}
            />
            {(next !== null || previous !== null) && (
              <nav class="pager" aria-label="Pagination">
                <Button small disabled={previous === null} onClick={() => go(previous)}>
                  Previous
                </Button>
                <Button small disabled={next === null} onClick={() => go(next)}>
                  Next
                </Button>
              </nav>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function RenameGroupType({
  type,
  onDone,
  onClose,
}: {
  type: GroupType;
  onDone(types: GroupType[]): void;
  onClose(): void;
}) {
  const { id } = useProject();
  const [one, setOne] = useState(type.name_singular ?? '');
  const [many, setMany] = useState(type.name_plural ?? '');
  const save = useAction(async () => {
    onDone(
      await updateGroupType(id, {
        group_type_index: type.group_type_index,
        name_singular: one || null,
        name_plural: many || null,
      }),
    );
    onClose();
  });
  return (
    <Dialog
      title={`Rename ${type.group_type}`}
      onClose={onClose}
      footer={
        <Button kind="primary" busy={save.busy} onClick={() => void save.run()}>
          Save
        </Button>
      }
    >
      <p class="muted">
        Changes only how it is shown. Your app keeps sending <code>{type.group_type}</code>.
      </p>
      <TextField label="Singular" placeholder="company" value={one} onInput={setOne} />
      <TextField label="Plural" placeholder="companies" value={many} onInput={setMany} />
      {save.error !== undefined && <ErrorNote error={save.error} />}
    </Dialog>
  );
}
