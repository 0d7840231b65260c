import { useState } from 'preact/hooks';
import { createDashboard, listDashboards } from '../../api/dashboards.ts';
import { type SavedInsight, updateInsight } from '../../api/insights.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Checkbox, TextField } from '../../components/field.tsx';
import { Link } from '../../components/link.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';

interface DashboardsDialogProps {
  insight: SavedInsight;
  onSaved(insight: SavedInsight): void;
  onClose(): void;
}

export function DashboardsDialog({ insight, onSaved, onClose }: DashboardsDialogProps) {
  const { id } = useProject();
  const all = useResource((signal) => listDashboards(id, signal), [id]);
  const [name, setName] = useState('');
  const change = useAction(async (dashboards: number[]) =>
    onSaved(await updateInsight(id, insight.id, { dashboards })),
  );
  const create = useAction(async () => {
    const { id: created } = await createDashboard(id, { name: name.trim() });
    onSaved(await updateInsight(id, insight.id, { dashboards: [...insight.dashboards, created] }));
    setName('');
    all.reload();
  });
  const toggle = (dashboard: number, isOn: boolean): void => {
    const others = insight.dashboards.filter((one) => one !== dashboard);
    void change.run(isOn ? [...others, dashboard] : others);
  };
  const error = change.error ?? create.error;
  return (
    <Dialog title="Add to dashboard" onClose={onClose}>
      <Loaded resource={all}>
        {(dashboards) => (
          <ul class="stack-s">
            {dashboards.map((dashboard) => (
              <li key={dashboard.id} class="row">
                <Checkbox
                  label={dashboard.name}
                  checked={insight.dashboards.includes(dashboard.id)}
                  disabled={change.busy}
                  onChange={(isOn) => toggle(dashboard.id, isOn)}
                />
                {insight.dashboards.includes(dashboard.id) && (
                  <Link class="small" to={pathTo('dashboard', { project: id, dashboard: dashboard.id }) ?? '/'}>
                    Open
                  </Link>
                )}
              </li>
            ))}
            {dashboards.length === 0 && <li class="muted">No dashboards yet. Enter a name to create one.</li>}
          </ul>
        )}
      </Loaded>
      <form
        class="row-end"
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <TextField label="New dashboard" value={name} onInput={setName} maxLength={400} />
        <Button type="submit" busy={create.busy} disabled={name.trim() === ''}>
          Create and add
        </Button>
      </form>
      {error !== undefined && <ErrorNote error={error} />}
    </Dialog>
  );
}
