/** The persons behind a number, with export to CSV and to a cohort. */
import { useState } from 'preact/hooks';
import { type Actor, listActors, personsPath, withParameters } from '../../../api/insight-persons.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { TextField } from '../../../components/field.tsx';
import { PersonLink } from '../../../components/person-link.tsx';
import { Empty, Loaded } from '../../../components/states.tsx';
import { type Column, Table } from '../../../components/table.tsx';
import { Time } from '../../../components/time.tsx';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { useProject } from '../../../lib/session.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';
import { useResource } from '../../../lib/use-resource.ts';
import type { PersonsLink } from '../answers.ts';
import { SaveCohort } from './save-cohort.tsx';

/** Retention filters the persons on the client, so more are loaded at once. */
const firstPage = ({ url, appears }: PersonsLink, search: string): string =>
  withParameters(url, { search, ...(appears === undefined ? {} : { limit: '1000' }) });

export function PersonsDrawer({ persons, onClose }: { persons: PersonsLink; onClose(): void }) {
  const { id } = useProject();
  const [text, setText] = useState('');
  const search = useDebounced(text.trim(), 300);
  const first = firstPage(persons, search);
  // The visited pages, to go back; another search starts anew.
  const [visited, setVisited] = useState<{ first: string; pages: string[] }>({ first, pages: [] });
  const pages = visited.first === first ? visited.pages : [];
  const url = pages.at(-1) ?? first;
  const found = useResource((signal) => listActors(id, { ...persons, url }, signal), [id, url, persons.appears]);
  const [isSaving, setSaving] = useState(false);
  const hasGroups = found.data?.actors[0]?.type === 'group';
  const footer = (
    <>
      <a class="button" href={withParameters(personsPath(id, first), { format: 'csv', limit: '10000' })} download>
        Export CSV
      </a>
      {!hasGroups && <Button onClick={() => setSaving(true)}>Save as cohort</Button>}
    </>
  );
  return (
    <Dialog side title={persons.title} onClose={onClose} footer={footer}>
      <TextField label="Search" type="search" placeholder="Name or email" value={text} onInput={setText} />
      <Loaded resource={found}>
        {({ actors, next, missing }) => (
          <div class="stack" aria-busy={found.loading}>
            <Table
              label="Persons"
              columns={columnsFor(actors)}
              rows={actors}
              rowKey={({ id: key }) => key}
              empty={
                <Empty title="No persons">
                  {search === ''
                    ? 'They have been deleted since.'
                    : 'No one matches the search. Try another name or email.'}
                </Empty>
              }
            />
            {missing > 0 && <p class="muted">{pluralize(missing, 'person')} on this page deleted since.</p>}
            {(next !== null || pages.length > 0) && (
              <nav class="pager" aria-label="Pagination">
                <Button
                  small
                  disabled={pages.length === 0}
                  onClick={() => setVisited({ first, pages: pages.slice(0, -1) })}
                >
                  Previous
                </Button>
                <span>Page {formatNumber(pages.length + 1)}</span>
                <Button
                  small
                  disabled={next === null}
                  onClick={() => next !== null && setVisited({ first, pages: [...pages, next] })}
                >
                  Next
                </Button>
              </nav>
            )}
          </div>
        )}
      </Loaded>
      {isSaving && <SaveCohort persons={{ ...persons, url: first }} onClose={() => setSaving(false)} />}
    </Dialog>
  );
}

const nameOf = ({ name, group_key, id }: Actor): string => name ?? group_key ?? String(id);

/** Only trends have a value per person. */
const columnsFor = (actors: readonly Actor[]): readonly Column<Actor>[] =>
  actors.some(({ value_at_data_point }) => value_at_data_point != null)
    ? COLUMNS
    : COLUMNS.filter(({ id }) => id !== 'value');

const COLUMNS: readonly Column<Actor>[] = [
  { id: 'name', title: 'Person', cell: (actor) => <PersonLink id={actor.uuid} name={nameOf(actor)} /> },
  {
    id: 'value',
    title: 'Value',
    isNumber: true,
    cell: ({ value_at_data_point }) => (value_at_data_point == null ? '' : formatNumber(value_at_data_point)),
  },
  {
    id: 'created',
    title: 'First seen',
    isWide: true,
    cell: ({ created_at }) => <Time at={created_at} as="relative" />,
  },
];
