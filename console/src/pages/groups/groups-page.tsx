/** Companies, teams, accounts: what events belong to besides a person. */

import { useState } from 'preact/hooks';
import { type Group, type GroupType, listGroups, listGroupTypes, updateGroupType } from '../../api/groups.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { JsonView } from '../../components/json-view.tsx';
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

const LIMIT = 50;

export function Page() {
  const { id } = useProject();
  const types = useResource((signal) => listGroupTypes(id, signal), [id]);
  return (
    <PageFrame
      title="Groups"
      lead="What events belong to besides a person: companies, teams, accounts. Up to five kinds."
    >
      <Loaded resource={types}>
        {(data) => (data.length === 0 ? <NoKinds /> : <Kinds types={data} onChange={types.set} />)}
      </Loaded>
    </PageFrame>
  );
}

const NoKinds = () => (
  <Empty title="No groups yet">
    Call{' '}
    <code>
      posthog.group('company', 'acme', {'{'} name: 'Acme' {'}'})
    </code>{' '}
    in your product, and every event from then on belongs to that company, too. Flags can be rolled out by group.
  </Empty>
);

const nameOf = ({ name_plural, group_type }: GroupType): string => name_plural || group_type;

function Kinds({ types, onChange }: { types: readonly GroupType[]; onChange(types: GroupType[]): void }) {
  const [tab] = useQueryState('kind', '0');
  const [isNaming, setNaming] = useState(false);
  const shown = types.find(({ group_type_index: index }) => String(index) === tab) ?? types[0];
  if (!shown) return <NoKinds />;
  return (
    <Tabs
      label="Kind of groups"
      tabs={types.map((type) => ({ id: String(type.group_type_index), label: nameOf(type) }))}
      value={String(shown.group_type_index)}
      onChange={(kind) => changeQuery({ kind, cursor: null, open: null }, { replace: true })}
    >
      <GroupList key={shown.group_type_index} type={shown} onRename={() => setNaming(true)} />
      {isNaming && <NameKind type={shown} onDone={onChange} onClose={() => setNaming(false)} />}
    </Tabs>
  );
}

const COLUMNS: readonly Column<Group>[] = [
  { id: 'key', title: 'Key', cell: ({ group_key }) => <b class="cut">{group_key}</b> },
  {
    id: 'name',
    title: 'Name',
    cell: ({ group_properties: { name } }) => (
      <span class="cut">{name !== undefined && <ValueText value={name} />}</span>
    ),
  },
  {
    id: 'properties',
    title: 'Properties',
    isWide: true,
    isNumber: true,
    cell: ({ group_properties }) => Object.keys(group_properties).length,
  },
  { id: 'created', title: 'First seen', cell: ({ created_at }) => <Time at={created_at} as="ago" /> },
];

/** The cursor of a link of the API. */
const cursorOf = (link: string | null): string | null => link && new URL(link).searchParams.get('cursor');

function GroupList({ type, onRename }: { type: GroupType; onRename(): void }) {
  const { id } = useProject();
  const { group_type_index: index } = type;
  const [search] = useQueryState('search');
  const [cursor] = useQueryState('cursor');
  const [open, setOpen] = useQueryState('open', '', { isStep: true });
  const wanted = useDebounced(search.trim(), 250);
  const groups = useResource(
    (signal) => listGroups(id, { group_type_index: index, search: wanted, cursor, limit: LIMIT }, signal),
    [id, index, wanted, cursor],
  );
  const opened = groups.data?.results.find(({ group_key }) => group_key === open);
  const go = (link: string | null): void => changeQuery({ cursor: cursorOf(link) });
  return (
    <>
      <div class="row-end">
        <TextField
          label="Search"
          type="search"
          placeholder="part of the key or of a property"
          value={search}
          onInput={(text) => changeQuery({ search: text, cursor: null }, { replace: true })}
        />
        <Button onClick={onRename}>Rename this kind…</Button>
      </div>
      <Loaded resource={groups}>
        {({ results, next, previous }) => (
          <>
            <Table
              label={`${nameOf(type)}, newest first`}
              columns={COLUMNS}
              rows={results}
              rowKey={({ group_key }) => group_key}
              onOpen={({ group_key }) => setOpen(group_key)}
              openKey={open === '' ? null : open}
              empty={<Empty title="No group fits">The search looks into keys and properties.</Empty>}
            />
            {(next !== null || previous !== null) && (
              <nav class="pager" aria-label="Pages">
                <Button small disabled={previous === null} onClick={() => go(previous)}>
                  Earlier page
                </Button>
                <Button small disabled={next === null} onClick={() => go(next)}>
                  Next page
                </Button>
              </nav>
            )}
          </>
        )}
      </Loaded>
      {opened && (
        <Dialog side title={opened.group_key} onClose={() => setOpen('')}>
          <p class="soft">
            First seen <Time at={opened.created_at} />
          </p>
          <JsonView value={opened.group_properties} label="Properties of the group" />
        </Dialog>
      )}
    </>
  );
}

function NameKind({ type, onDone, onClose }: { type: GroupType; onDone(types: GroupType[]): void; onClose(): void }) {
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
      title={`How is ${type.group_type} called?`}
      onClose={onClose}
      footer={
        <Button kind="primary" busy={save.busy} onClick={() => void save.run()}>
          Save
        </Button>
      }
    >
      <p class="soft">
        Only how it is shown. Your product goes on to send <code>{type.group_type}</code>.
      </p>
      <TextField label="One" placeholder="company" value={one} onInput={setOne} />
      <TextField label="Many" placeholder="companies" value={many} onInput={setMany} />
      {save.error !== undefined && <ErrorNote error={save.error} />}
    </Dialog>
  );
}
