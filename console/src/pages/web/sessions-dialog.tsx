import { useState } from 'preact/hooks';
import { listWebSessions, type WebSession } from '../../api/web.ts';
import { Dialog } from '../../components/dialog.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { Empty, Loaded } from '../../components/states.tsx';
import { type Column, Pager, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatDuration } from '../../lib/dates.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { valueLabel, type WebState } from './web-state.ts';

const PAGE_SIZE = 50;

const COLUMNS: readonly Column<WebSession>[] = [
  { id: 'start', title: 'Start', cell: ({ start }) => <Time at={start} as="recent" /> },
  { id: 'entry', title: 'Entry page', cell: ({ entry }) => <Text value={entry} /> },
  { id: 'source', title: 'Source', cell: ({ source }) => <Text value={source} /> },
  {
    id: 'place',
    title: 'Country',
    cell: ({ country }) => <Text value={country === null ? '–' : valueLabel('country', country)} />,
  },
  { id: 'device', title: 'Device', cell: ({ device }) => device ?? '–', isWide: true },
  { id: 'views', title: 'Page views', cell: ({ views }) => views, isNumber: true },
  { id: 'duration', title: 'Duration', cell: ({ duration }) => formatDuration(duration * 1000), isNumber: true },
  { id: 'person', title: 'Person', cell: ({ person }) => <PersonLink id={person} name="View" /> },
];

const Text = ({ value }: { value: string }) => (
  <span class="truncate" title={value}>
    {value}
  </span>
);

/** The sessions behind the numbers, newest first. */
export function SessionsDialog({ state, onClose }: { state: WebState; onClose(): void }) {
  const { id } = useProject();
  const [offset, setOffset] = useState(0);
  const resource = useResource(
    (signal) => listWebSessions(id, state.fields, { limit: PAGE_SIZE, offset }, signal),
    [id, JSON.stringify(state.fields), offset],
  );
  return (
    <Dialog title="Sessions" side onClose={onClose}>
      <Loaded resource={resource}>
        {({ results, next }) => (
          <>
            <Table
              label="Sessions"
              columns={COLUMNS}
              rows={results}
              rowKey={({ id: session, start }) => `${session} ${start}`}
              empty={<Empty title="No sessions">No session started in this date range.</Empty>}
            />
            <Pager offset={offset} limit={PAGE_SIZE} count={null} hasNext={next !== null} onChange={setOffset} />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
