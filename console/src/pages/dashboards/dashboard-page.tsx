import '../../components/toolbar.css';
import './dashboard.css';
import { useMemo, useRef, useState } from 'preact/hooks';
import {
  copyDashboard,
  type Dashboard,
  type DashboardChange,
  getDashboard,
  updateDashboard,
} from '../../api/dashboards.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Select } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, ErrorNote, Loaded, NotFound } from '../../components/states.tsx';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useQueryState } from '../../lib/use-query-state.ts';
import { useAction, useInterval, useResource } from '../../lib/use-resource.ts';
import { ChartSubjectContext } from '../annotations/use-annotations.ts';
import { DigestDialog } from '../digests/digest-dialog.tsx';
import { ShareDialog } from '../sharing/share-dialog.tsx';
import { AddInsights } from './add-insights.tsx';
import { DashboardBar, useRange } from './dashboard-bar.tsx';
import { RenameDashboard } from './rename-dashboard.tsx';
import { TextDialog } from './text-tile.tsx';
import { Tiles } from './tiles.tsx';

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const key = params['dashboard'] ?? '';
  const found = useResource((signal) => getDashboard(id, key, signal), [id, key]);
  if (found.data) return <Board dashboard={found.data} onChange={found.set} />;
  return (
    <PageFrame title="Dashboard">
      <Loaded
        resource={found}
        notFound={
          <NotFound
            name="Dashboard"
            all={<Link to={pathTo('dashboards', { project: id }) ?? '/'}>All dashboards</Link>}
          />
        }
      >
        {() => null}
      </Loaded>
    </PageFrame>
  );
}

type OpenDialog = 'share' | 'subscribe' | 'add' | 'text' | 'name' | 'delete' | null;

const REFRESH_OPTIONS = [
  { value: '', label: 'Off' },
  { value: '60', label: 'Every minute' },
  { value: '300', label: 'Every 5 minutes' },
  { value: '1800', label: 'Every 30 minutes' },
];

function Board({ dashboard, onChange }: { dashboard: Dashboard; onChange(dashboard: Dashboard): void }) {
  const { id } = useProject();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [round, setRound] = useState(0);
  const [refresh, setRefresh] = useQueryState('refresh');
  const subject = useMemo(() => ({ insight: null, dashboard: dashboard.id }), [dashboard.id]);
  const board = useRef<HTMLDivElement>(null);
  const range = useRange(dashboard);
  const update = async (body: DashboardChange): Promise<void> =>
    onChange(await updateDashboard(id, dashboard.id, body));
  const change = useAction(update);
  // Apart, so that a tile can be moved while something else is saved.
  const arrange = useAction(update);
  const duplicate = useAction(async () => navigate(pathOf(id, (await copyDashboard(id, dashboard)).id)));
  useInterval(() => refresh !== '' && setRound((count) => count + 1), Math.max(60, Number(refresh) || 60) * 1000);
  const close = (): void => setDialog(null);
  const error = change.error ?? arrange.error ?? duplicate.error;
  return (
    <PageFrame
      title={dashboard.name}
      lead={dashboard.description}
      actions={
        <>
          <Button onClick={() => setRound((count) => count + 1)} disabled={dashboard.tiles.length === 0}>
            Refresh all
          </Button>
          <Button onClick={() => setDialog('share')}>Share</Button>
          <Button onClick={() => setDialog('subscribe')}>Subscribe</Button>
          <Button onClick={() => setDialog('text')}>Add text</Button>
          <Button kind="primary" onClick={() => setDialog('add')}>
            Add insights
          </Button>
          <Menu label="More">
            <button type="button" onClick={() => void board.current?.requestFullscreen()}>
              Full screen
            </button>
            <button type="button" onClick={() => void duplicate.run()}>
              Duplicate
            </button>
            <button type="button" onClick={() => setDialog('name')}>
              Rename
            </button>
            <button type="button" onClick={() => setDialog('delete')}>
              Delete
            </button>
          </Menu>
        </>
      }
    >
      <div class="stack board" ref={board}>
        <DashboardBar
          filters={dashboard.filters}
          range={range}
          isBusy={change.busy}
          onSave={(filters) => change.run({ filters })}
        />
        {error !== undefined && <ErrorNote error={error} />}
        {dashboard.tiles.length === 0 ? (
          <Empty
            title="This dashboard is empty"
            action={<Link to={pathTo('insight', { project: id, insight: 'new' }) ?? '/'}>Create insight</Link>}
          >
            Add saved insights or a text, or create a new insight.
          </Empty>
        ) : (
          <ChartSubjectContext.Provider value={subject}>
            <Tiles
              dashboard={dashboard}
              dates={range.dates}
              round={round}
              onArrange={(tiles) => arrange.run({ tiles })}
              onChange={(tiles) => update({ tiles })}
              onRemove={({ id: tile }) => void change.run({ tiles: [{ id: tile, deleted: true }] })}
            />
          </ChartSubjectContext.Provider>
        )}
        <div class="toolbar">
          <Select label="Auto-refresh" value={refresh} options={REFRESH_OPTIONS} onChange={setRefresh} />
        </div>
      </div>
      {dialog === 'share' && <ShareDialog item={['dashboards', dashboard.id]} name="this dashboard" onClose={close} />}
      {dialog === 'subscribe' && (
        <DigestDialog digest={null} subject={{ dashboard: dashboard.id }} name={dashboard.name} onClose={close} />
      )}
      {dialog === 'add' && <AddInsights dashboard={dashboard} onChange={onChange} onClose={close} />}
      {dialog === 'text' && (
        <TextDialog
          title="Add text"
          action="Add text"
          body=""
          onSave={(body) => update({ tiles: [{ text: { body }, order: dashboard.tiles.length }] })}
          onClose={close}
        />
      )}
      {dialog === 'name' && <RenameDashboard dashboard={dashboard} onChange={onChange} onClose={close} />}
      {dialog === 'delete' && (
        <Confirm
          title="Delete this dashboard?"
          action="Delete dashboard"
          danger
          onConfirm={async () => {
            await updateDashboard(id, dashboard.id, { deleted: true });
            navigate(pathTo('dashboards', { project: id }) ?? '/');
          }}
          onClose={close}
        >
          <p>Its insights are kept.</p>
        </Confirm>
      )}
    </PageFrame>
  );
}

const pathOf = (project: number, dashboard: number): string => pathTo('dashboard', { project, dashboard }) ?? '/';
