import { useState } from 'preact/hooks';
import { deleteProperty } from '../../api/persons.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { PropertyName } from '../../components/names.tsx';
import { sortProperties } from '../../components/property-list.tsx';
import { Empty } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { toast } from '../../components/toast.tsx';
import { ValueText } from '../../components/value-text.tsx';
import { propertyLabel } from '../../lib/friendly-names.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { EditProperty } from './edit-property.tsx';
import { PropertyHistory } from './property-history.tsx';
import type { TabProps } from './tab-props.ts';

type OpenDialog = { action: 'edit' | 'delete' | 'history'; key: string } | { action: 'add' } | null;

export function PropertiesTab({ person, onChange }: TabProps) {
  const { id } = useProject();
  const [search, setSearch] = useQueryState('property');
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const close = (): void => setDialog(null);
  const searchText = search.trim().toLowerCase();
  const rows = sortProperties(person.properties).filter(([key]) =>
    `${key} ${propertyLabel(key)}`.toLowerCase().includes(searchText),
  );
  const columns: Column<[string, unknown]>[] = [
    {
      id: 'key',
      title: 'Property',
      cell: ([key]) => (
        <b>
          <PropertyName name={key} hasRaw />
        </b>
      ),
    },
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
      title: 'Actions',
      hideTitle: true,
      cell: ([key]) => (
        <div class="row-actions">
          {(['edit', 'history', 'delete'] as const).map((action) => (
            <Button
              key={action}
              small
              kind="quiet"
              aria-label={`${ACTION_LABELS[action]} ${propertyLabel(key)}`}
              onClick={() => setDialog({ action, key })}
            >
              {ACTION_LABELS[action]}
            </Button>
          ))}
        </div>
      ),
    },
  ];
  return (
    <>
      <div class="row-end">
        <TextField label="Search properties" type="search" value={search} onInput={setSearch} />
        <Button onClick={() => setDialog({ action: 'add' })}>Add property</Button>
      </div>
      <Table
        label="Person properties"
        columns={columns}
        rows={rows}
        rowKey={([key]) => key}
        empty={
          <Empty title={searchText === '' ? 'No properties yet' : 'No matching properties'}>
            Set properties with <code>$set</code> on an event, or add one here. Use them in feature flags, cohorts and
            insights.
          </Empty>
        }
      />
      {(dialog?.action === 'add' || dialog?.action === 'edit') && (
        <EditProperty
          person={person}
          name={dialog.action === 'edit' ? dialog.key : null}
          onDone={onChange}
          onClose={close}
        />
      )}
      {dialog?.action === 'history' && <PropertyHistory person={person} name={dialog.key} onClose={close} />}
      {dialog?.action === 'delete' && (
        <Confirm
          title={`Delete ${propertyLabel(dialog.key)}?`}
          action="Delete property"
          danger
          onClose={close}
          onConfirm={async () => {
            onChange(await deleteProperty(id, person.uuid, dialog.key));
            toast(`${propertyLabel(dialog.key)} deleted.`);
          }}
        >
          <p>
            Deletes this property from the person. Past events and the property history keep its value, and the next
            event that sets it adds it again. Feature flags and cohorts that use it may change at once.
          </p>
        </Confirm>
      )}
    </>
  );
}

const ACTION_LABELS = { edit: 'Edit', history: 'History', delete: 'Delete' } as const;
