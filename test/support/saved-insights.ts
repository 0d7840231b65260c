import type { Answer, CallOptions } from './client.ts';

type Post = (path: string, options?: CallOptions) => Promise<Answer>;

/** Creates a saved insight, a dashboard and an experiment, so that their paths exist. */
export async function createSavedInsights({ post }: { post: Post }): Promise<void> {
  const project = '/api/projects/1';
  const filters = { insight: 'TRENDS', events: [{ id: 'seen' }] };
  const { body } = await post(`${project}/insights/`, { body: { name: 'Seen', filters, saved: true } });
  await post(`${project}/insights/${body.id}/viewed/`);
  await post(`${project}/actions/`, { body: { name: 'Saw it', steps: [{ event: 'seen' }] } });
  await post(`${project}/dashboards/`, { body: { name: 'All of it', tiles: [{ insight: body.id }] } });
  const metrics = [{ metric_type: 'mean', source: { kind: 'EventsNode', event: 'seen' } }];
  const experiment = { name: 'Colours', feature_flag_key: 'colours', start_date: '2026-01-15T12:00:00Z', metrics };
  await post(`${project}/experiments/`, { body: experiment });
}
