import { useState } from 'preact/hooks';
import { deleteProperty } from '../../api/persons.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Empty } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { toast } from '../../components/toast.tsx';
import { ValueText } from '../../components/value-text.tsx';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { EditProperty } from './edit-property.tsx';
import type { TabProps } from './person-page.tsx';
import { PropertyHistory } from './property-history.tsx';
import { sortedProperties } from './property-values.ts';

type Asked = { deed: 'edit' | 'delete' | 'history'; key: string } | { deed: 'add' } | null;

export function PropertiesTab({ person, onChange }: TabProps) {
  const { id } = useProject();
  const [search, setSearch] = useQueryState('property');
  const [asked, ask] = useState<Asked>(null);
  const close = (): void => ask(null);
  const wanted = search.trim().toLowerCase();
  const rows = sortedProperties(person.properties).filter(([key]) => key.toLowerCase().includes(wanted));
  const columns: Column<[string, unknown]>[] = [
    { id: 'key', title: 'Property', cell: ([key]) => <b>{key}</b> },
    {
      id: 'value',
      title: 'Value',
      cell: ([, value]) => (
        <div class="value-cell">
          <ValueText value={value} />
        </div>
      ),
    },
    {
      id: 'actions',
      title: '',
      cell: ([key]) => (
        <div class="row-actions">
          {(['edit', 'history', 'delete'] as const).map((deed) => (
            <Button
              key={deed}
              small
              kind="quiet"
              aria-label={`${WORDS[deed]} ${key}`}
              onClick={() => ask({ deed, key })}
            >
              {WORDS[deed]}
            </Button>
          ))}
        </div>
      ),
    },
  ];
  return (
    <>
      <div class="row-end">
        <TextField label="Find a property" type="search" value={search} onInput={setSearch} />
        <Button onClick={() => ask({ deed: 'add' })}>Add a property</Button>
      </div>
      <Table
        label="Properties of the person"
        columns={columns}
        rows={rows}
        rowKey={([key]) => key}
        empty={
          <Empty title={wanted === '' ? 'No properties yet' : 'No property is called so'}>
            Send <code>$set</code> with an event, or add one here. They stay with the person, and flags and cohorts can
            ask for them.
          </Empty>
        }
      />
      {(asked?.deed === 'add' || asked?.deed === 'edit') && (
        <EditProperty
          person={person}
          name={asked.deed === 'edit' ? asked.key : null}
          onDone={onChange}
          onClose={close}
        />
      )}
      {asked?.deed === 'history' && <PropertyHistory person={person} name={asked.key} onClose={close} />}
      {asked?.deed === 'delete' && (
        <Confirm
          title={`Delete ${asked.key}?`}
          action="Delete the property"
          danger
          onClose={close}
          onConfirm={async () => {
            onChange(await deleteProperty(id, person.uuid, asked.key));
            toast(`${asked.key} is deleted.`);
          }}
        >
          <p>
            The person loses this one property. Events keep what they were sent with, the history keeps the value, and
            the next event that sets it brings it back. Flags and cohorts that ask for it may decide otherwise at once.
          </p>
        </Confirm>
      )}
    </>
  );
}

const WORDS = { edit: 'Edit', history: 'History', delete: 'Delete' } as const;
