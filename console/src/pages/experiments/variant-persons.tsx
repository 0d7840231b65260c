import { useState } from 'preact/hooks';
import { listExposedPersons } from '../../api/experiments.ts';
import type { ListedPerson } from '../../api/persons.ts';
import { Dialog } from '../../components/dialog.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';

const PAGE_SIZE = 50;

const COLUMNS: readonly Column<ListedPerson>[] = [
  { id: 'name', title: 'Person', cell: ({ uuid, name }) => <PersonLink id={uuid} name={name} /> },
  { id: 'created', title: 'First seen', cell: ({ created_at }) => <Time at={created_at} as="relative" /> },
];

interface VariantPersonsProps {
  experimentId: number;
  variant: string;
  onClose(): void;
}

/** The persons behind the number of a variant, exposed last first. */
export function VariantPersons({ experimentId, variant, onClose }: VariantPersonsProps) {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const persons = useResource(
    (signal) => listExposedPersons(id, experimentId, { variant, limit: PAGE_SIZE, offset }, signal),
    [id, experimentId, variant, offset],
  );
  return (
    <Dialog title={`Persons in ${variant}`} side onClose={onClose}>
      <Loaded resource={persons}>
        {({ results, has_next }) => (
          <>
            <Table
              label={`Persons in ${variant}, exposed last first`}
              columns={COLUMNS}
              rows={results}
              rowKey={({ uuid }) => uuid}
              empty={<Empty title="No persons here">They may have been deleted or merged since.</Empty>}
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={null} hasNext={has_next} onChange={setOffset} />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
