import { type Group, type GroupType, listRelated, type Related } from '../../api/groups.ts';
import { PersonLink } from '../../components/person-link.tsx';
import { Badge, Empty, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { GroupLink } from './group-link.tsx';
import { pluralOf } from './group-names.ts';

type RelatedPerson = Extract<Related, { type: 'person' }>;
type RelatedGroup = Extract<Related, { type: 'group' }>;

/** As many as the API returns. */
const MAX_PERSONS = 100;

const nameOf = ({ properties, distinct_ids, uuid }: RelatedPerson): string => {
  const given = [properties['email'], properties['name'], properties['username']];
  return given.find((value) => typeof value === 'string' && value !== '')?.toString() ?? distinct_ids[0] ?? uuid;
};

const PERSON_COLUMNS: readonly Column<RelatedPerson>[] = [
  { id: 'name', title: 'Person', cell: (person) => <PersonLink id={person.uuid} name={nameOf(person)} /> },
  {
    id: 'status',
    title: 'Status',
    cell: ({ is_identified }) => (is_identified ? <Badge tone="good">Identified</Badge> : <Badge>Anonymous</Badge>),
  },
  {
    id: 'id',
    title: 'Distinct ID',
    isWide: true,
    cell: ({ distinct_ids }) => <code class="truncate">{distinct_ids[0]}</code>,
  },
];

const GROUP_COLUMNS: readonly Column<RelatedGroup>[] = [
  {
    id: 'key',
    title: 'Key',
    cell: ({ group_type_index, group_key }) => <GroupLink type={group_type_index} name={group_key} />,
  },
];

export function RelatedTab({ group, types }: { group: Group; types: readonly GroupType[] }) {
  const { id } = useProject();
  const { group_type_index: index, group_key: key } = group;
  const related = useResource((signal) => listRelated(id, index, key, signal), [id, index, key]);
  return (
    <Loaded resource={related}>
      {(found) => {
        const persons = found.filter((one): one is RelatedPerson => one.type === 'person');
        const groups = found.filter((one): one is RelatedGroup => one.type === 'group');
        if (found.length === 0) {
          return (
            <Empty title="No persons or groups">None had events together with this group in the last 90 days.</Empty>
          );
        }
        return (
          <>
            <section class="stack-s" aria-label="Persons">
              <h2>Persons</h2>
              <p class="muted">
                Who had events in this group in the last 90 days, the latest first
                {persons.length === MAX_PERSONS && `: ${MAX_PERSONS} of them`}.
              </p>
              <Table
                label="Persons"
                columns={PERSON_COLUMNS}
                rows={persons}
                rowKey={({ uuid }) => uuid}
                empty={<Empty title="No persons">Only groups had events together with this one.</Empty>}
              />
            </section>
            {types.map((type) => {
              const rows = groups.filter((one) => one.group_type_index === type.group_type_index);
              return (
                rows.length > 0 && (
                  <section key={type.group_type} class="stack-s" aria-label={pluralOf(type)}>
                    <h2>{pluralOf(type)}</h2>
                    <Table
                      label={pluralOf(type)}
                      columns={GROUP_COLUMNS}
                      rows={rows}
                      rowKey={({ group_key }) => group_key}
                    />
                  </section>
                )
              );
            })}
          </>
        );
      }}
    </Loaded>
  );
}
