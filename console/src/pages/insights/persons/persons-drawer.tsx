/** The persons behind a number: looked through page by page, kept as a cohort, or taken along as a table. */

import { useState } from 'preact/hooks';
import { type Actor, listActors, personsPath, withParameters } from '../../../api/insight-persons.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { TextField } from '../../../components/field.tsx';
import { PersonLink } from '../../../components/person-link.tsx';
import { Empty, Loaded } from '../../../components/states.tsx';
import { type Column, Table } from '../../../components/table.tsx';
import { Time } from '../../../components/time.tsx';
import { countOf, formatNumber } from '../../../lib/format.ts';
import { useProject } from '../../../lib/session.ts';
import { useDebounced } from '../../../lib/use-debounced.ts';
import { useResource } from '../../../lib/use-resource.ts';
import type { People } from '../answers.ts';
import { SaveCohort } from './save-cohort.tsx';

/** Those who returned are picked out of those who came, so more are read at once. */
const firstPage = ({ url, appears }: People, search: string): string =>
  withParameters(url, { search, ...(appears === undefined ? {} : { limit: '1000' }) });

export function PeopleDrawer({ people, onClose }: { people: People; onClose(): void }) {
  const { id } = useProject();
  const [text, setText] = useState('');
  const search = useDebounced(text.trim(), 300);
  const first = firstPage(people, search);
  // Where one has been, to go back; another number or another search begins anew.
  const [way, setWay] = useState<{ first: string; pages: string[] }>({ first, pages: [] });
  const pages = way.first === first ? way.pages : [];
  const url = pages.at(-1) ?? first;
  const found = useResource((signal) => listActors(id, { ...people, url }, signal), [id, url, people.appears]);
  const [isSaving, setSaving] = useState(false);
  const isOfGroups = found.data?.actors[0]?.type === 'group';
  const footer = (
    <>
      <a class="button" href={withParameters(personsPath(id, first), { format: 'csv', limit: '10000' })} download>
        As CSV
      </a>
      {!isOfGroups && <Button onClick={() => setSaving(true)}>Save as a cohort</Button>}
    </>
  );
  return (
    <Dialog side title={people.title} onClose={onClose} footer={footer}>
      <TextField
        label="Search"
        type="search"
        placeholder="part of a name or an e-mail"
        value={text}
        onInput={setText}
      />
      <Loaded resource={found}>
        {({ actors, next, missing }) => (
          <div class="stack" aria-busy={found.loading}>
            <Table
              label="Persons"
              columns={columnsFor(actors)}
              rows={actors}
              rowKey={({ id: key }) => key}
              empty={
                <Empty title="Nobody">
                  {search === ''
                    ? 'Nobody is there any more: they were deleted since.'
                    : 'Nobody of them has a name or an e-mail like that.'}
                </Empty>
              }
            />
            {missing > 0 && (
              <p class="soft">{countOf(missing, 'person', 'persons')} of this page were deleted since.</p>
            )}
            {(next !== null || pages.length > 0) && (
              <nav class="pager" aria-label="Pages">
                <Button
                  small
                  disabled={pages.length === 0}
                  onClick={() => setWay({ first, pages: pages.slice(0, -1) })}
                >
                  Earlier page
                </Button>
                <span>page {formatNumber(pages.length + 1)}</span>
                <Button
                  small
                  disabled={next === null}
                  onClick={() => next !== null && setWay({ first, pages: [...pages, next] })}
                >
                  Next page
                </Button>
              </nav>
            )}
          </div>
        )}
      </Loaded>
      {isSaving && <SaveCohort people={{ ...people, url: first }} onClose={() => setSaving(false)} />}
    </Dialog>
  );
}

const nameOf = ({ name, group_key, id }: Actor): string => name ?? group_key ?? String(id);

/** Only a trend knows how much each of them did. */
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
  { id: 'created', title: 'First seen', isWide: true, cell: ({ created_at }) => <Time at={created_at} as="ago" /> },
];
