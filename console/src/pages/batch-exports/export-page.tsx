/** A new export, or one that is there: its runs with their files, backfills and settings. */
import '../destinations/destinations.css';
import './batch-exports.css';
import { useState } from 'preact/hooks';
import {
  type BatchExport,
  createBatchExport,
  deleteBatchExport,
  getBatchExport,
  pauseBatchExport,
  updateBatchExport,
} from '../../api/batch-exports.ts';
import { ADMIN } from '../../api/organizations.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { ItemPage } from '../../components/item-page.tsx';
import { Link } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { PageFrame } from '../../components/page.tsx';
import { SaveForm } from '../../components/save-form.tsx';
import { Banner } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Time } from '../../components/time.tsx';
import { toast, toastError } from '../../components/toast.tsx';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject, useSession } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useAction } from '../../lib/use-resource.ts';
import { EventFilterFields } from '../destinations/event-filter-fields.tsx';
import { BackfillList } from './backfill-list.tsx';
import { bodyOf, describePlace, draftOf, intervalLabel, missingIn, modelLabel, newDraft } from './export-draft.ts';
import { PlaceFields, ScheduleFields } from './export-form.tsx';
import { ExportState } from './export-state.tsx';
import { RunList } from './run-list.tsx';

const allExports = (project: number): string => `${pathTo('destinations', { project }) ?? '/'}?tab=exports`;

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const key = params['export'] ?? 'new';
  const all = <Link to={allExports(id)}>All exports</Link>;
  if (key === 'new') {
    return (
      <PageFrame title="New export" lead={all}>
        <Editor key="new" batchExport={null} />
      </PageFrame>
    );
  }
  return (
    <ItemPage name="Export" all={all} load={(signal) => getBatchExport(id, key, signal)} inputs={[id, key]}>
      {(found, { set }) => <Existing batchExport={found} onChange={set} />}
    </ItemPage>
  );
}

const TABS = [
  { id: 'runs', label: 'Runs' },
  { id: 'backfills', label: 'Backfills' },
  { id: 'settings', label: 'Settings' },
] as const;
type TabName = (typeof TABS)[number]['id'];

function Existing({ batchExport, onChange }: { batchExport: BatchExport; onChange(saved: BatchExport): void }) {
  const { id } = useProject();
  const { me } = useSession();
  const [tab, setTab] = useQueryState('tab', 'runs');
  const [isDeleting, setDeleting] = useState(false);
  const isAdmin = (me.organization?.membership_level ?? 0) >= ADMIN;
  const { paused, paused_reason: reason } = batchExport;
  const pause = (): void => void pauseBatchExport(id, batchExport.id, !paused).then(onChange, toastError);
  const actions = isAdmin && (
    <>
      <Button kind={paused ? 'primary' : 'plain'} onClick={pause}>
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <Menu label="More">
        <button type="button" onClick={() => setDeleting(true)}>
          Delete
        </button>
      </Menu>
    </>
  );
  const shown: TabName = TABS.find((one) => one.id === tab)?.id ?? 'runs';
  return (
    <PageFrame title={batchExport.name} lead={<Link to={allExports(id)}>All exports</Link>} actions={actions}>
      {paused && reason !== null && (
        <Banner tone="warn">
          Paused: {reason} Resume it once that is repaired: it goes on where it stopped, and repeats what failed.
        </Banner>
      )}
      <Facts facts={factsOf(batchExport)} />
      <Tabs<TabName> label="About this export" tabs={TABS} value={shown} onChange={setTab}>
        {shown === 'runs' && <RunList exportId={batchExport.id} isAdmin={isAdmin} />}
        {shown === 'backfills' && <BackfillList exportId={batchExport.id} isAdmin={isAdmin} />}
        {shown === 'settings' &&
          (isAdmin ? (
            <Editor key={batchExport.last_updated_at} batchExport={batchExport} onSaved={onChange} />
          ) : (
            <p class="muted">Admins change the settings.</p>
          ))}
      </Tabs>
      {isDeleting && (
        <Confirm
          title={`Delete ${batchExport.name}?`}
          action="Delete export"
          danger
          onConfirm={async () => {
            await deleteBatchExport(id, batchExport.id);
            navigate(allExports(id));
          }}
          onClose={() => setDeleting(false)}
        >
          <p>No more runs begin. The files that it has made stay where they are.</p>
        </Confirm>
      )}
    </PageFrame>
  );
}

const factsOf = (one: BatchExport): Fact[] => [
  ['State', <ExportState batchExport={one} />],
  ['Rows', modelLabel(one.model)],
  ['To', <span class="file-name">{describePlace(one)}</span>],
  ['Schedule', intervalLabel(one.interval)],
  ['Exported until', <Time at={one.exported_until} />],
  ['Created by', one.created_by === null ? 'Deleted user' : one.created_by.first_name || one.created_by.email],
];

interface EditorProps {
  /** Null: a new one. */
  batchExport: BatchExport | null;
  onSaved?(saved: BatchExport): void;
}

function Editor({ batchExport, onSaved }: EditorProps) {
  const { id, timezone } = useProject();
  const [draft, setDraft] = useState(() => (batchExport ? draftOf(batchExport, timezone) : newDraft()));
  const hasKeys = (batchExport?.destination as { type?: string } | undefined)?.type === 'S3';
  const missing = missingIn(draft, hasKeys);
  const save = useAction(async () => {
    const body = bodyOf(draft, timezone);
    const saved = batchExport ? await updateBatchExport(id, batchExport.id, body) : await createBatchExport(id, body);
    toast('Export saved.');
    onSaved?.(saved);
    if (!batchExport) navigate(pathTo('batch-export', { project: id, export: saved.id }) ?? '/');
  });
  return (
    <SaveForm save={save} label={batchExport ? 'Save changes' : 'Create export'} missing={missing}>
      <div class="destination-panes">
        <section class="card stack">
          <h2>Files</h2>
          <PlaceFields draft={draft} hasKeys={hasKeys} onChange={setDraft} />
        </section>
        <div class="stack">
          <section class="card stack">
            <h2>Schedule</h2>
            <ScheduleFields draft={draft} isNew={batchExport === null} onChange={setDraft} />
          </section>
          {draft.model === 'events' && (
            <section class="card stack">
              <h2>Events</h2>
              <EventFilterFields value={draft.events} onChange={(events) => setDraft({ ...draft, events })} />
            </section>
          )}
        </div>
      </div>
    </SaveForm>
  );
}
