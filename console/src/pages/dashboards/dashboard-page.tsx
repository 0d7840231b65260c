import './dashboard.css';
import { useState } from 'preact/hooks';
import { type Dashboard, type DashboardChange, getDashboard, updateDashboard } from '../../api/dashboards.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Link } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Empty, ErrorNote, Loaded } from '../../components/states.tsx';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { navigate } from '../../lib/router.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { AddInsights } from './add-insights.tsx';
import { DateRangeBar, useRange } from './date-range-bar.tsx';
import { RenameDashboard } from './rename-dashboard.tsx';
import { Tile } from './tile.tsx';
import { moveTile, type TileMove } from './tiles.ts';

export function Page({ params }: PageProps) {
  const { id } = useProject();
  const key = params['dashboard'] ?? '';
  const found = useResource((signal) => getDashboard(id, key, signal), [id, key]);
  if (found.data) return <Board dashboard={found.data} onChange={found.set} />;
  return (
    <PageFrame title="Dashboard">
      <Loaded resource={found}>{() => null}</Loaded>
    </PageFrame>
  );
}

type OpenDialog = 'add' | 'name' | 'delete' | null;

function Board({ dashboard, onChange }: { dashboard: Dashboard; onChange(dashboard: Dashboard): void }) {
  const { id } = useProject();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [round, setRound] = useState(0);
  const range = useRange(dashboard);
  const change = useAction(async (body: DashboardChange) => onChange(await updateDashboard(id, dashboard.id, body)));
  const move = (tile: number, how: TileMove): void => void change.run({ tiles: moveTile(dashboard.tiles, tile, how) });
  const close = (): void => setDialog(null);
  return (
    <PageFrame
      title={dashboard.name}
      lead={dashboard.description}
      actions={
        <>
          <Button onClick={() => setRound((count) => count + 1)} disabled={dashboard.tiles.length === 0}>
            Refresh all
          </Button>
          <Button kind="primary" onClick={() => setDialog('add')}>
            Add insights
          </Button>
          <Menu label="More">
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
      <DateRangeBar range={range} isBusy={change.busy} onSave={(filters) => change.run({ filters })} />
      {change.error !== undefined && <ErrorNote error={change.error} />}
      {dashboard.tiles.length === 0 ? (
        <Empty
          title="This dashboard is empty"
          action={<Link to={pathTo('insight', { project: id, insight: 'new' }) ?? '/'}>Create insight</Link>}
        >
          Add saved insights, or create a new one.
        </Empty>
      ) : (
        <ul class="tiles">
          {dashboard.tiles.map((tile, at) => (
            <Tile
              key={tile.id}
              tile={tile}
              dates={range.dates}
              round={round}
              place={{ isFirst: at === 0, isLast: at === dashboard.tiles.length - 1 }}
              onMove={(how) => move(tile.id, how)}
            />
          ))}
        </ul>
      )}
      {dialog === 'add' && <AddInsights dashboard={dashboard} onChange={onChange} onClose={close} />}
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
