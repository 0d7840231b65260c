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

export interface DashboardsDialogProps {
  insight: SavedInsight;
  onSaved(insight: SavedInsight): void;
  onClose(): void;
}

/** On which dashboards an insight is; a new one can be made on the way. */
export function DashboardsDialog({ insight, onSaved, onClose }: DashboardsDialogProps) {
  const { id } = useProject();
  const all = useResource((signal) => listDashboards(id, signal), [id]);
  const [name, setName] = useState('');
  const change = useAction(async (dashboards: number[]) =>
    onSaved(await updateInsight(id, insight.id, { dashboards })),
  );
  const make = useAction(async () => {
    const { id: made } = await createDashboard(id, { name: name.trim() });
    onSaved(await updateInsight(id, insight.id, { dashboards: [...insight.dashboards, made] }));
    setName('');
    all.reload();
  });
  const toggle = (dashboard: number, isOn: boolean): void => {
    const others = insight.dashboards.filter((one) => one !== dashboard);
    void change.run(isOn ? [...others, dashboard] : others);
  };
  const error = change.error ?? make.error;
  return (
    <Dialog title="Dashboards with this insight" onClose={onClose}>
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
                    open
                  </Link>
                )}
              </li>
            ))}
            {dashboards.length === 0 && <li class="soft">There is no dashboard yet: name the first one.</li>}
          </ul>
        )}
      </Loaded>
      <form
        class="row-end"
        onSubmit={(event) => {
          event.preventDefault();
          void make.run();
        }}
      >
        <TextField label="New dashboard" value={name} onInput={setName} maxLength={400} />
        <Button type="submit" busy={make.busy} disabled={name.trim() === ''}>
          Make it and add
        </Button>
      </form>
      {error !== undefined && <ErrorNote error={error} />}
    </Dialog>
  );
}
