import type { Answer, CallOptions } from './client.ts';

type Post = (path: string, options?: CallOptions) => Promise<Answer>;

/** Creates a saved insight and a dashboard, so that their paths exist. */
export async function createSavedInsights({ post }: { post: Post }): Promise<void> {
  const project = '/api/projects/1';
  const filters = { insight: 'TRENDS', events: [{ id: 'seen' }] };
  const { body } = await post(`${project}/insights/`, { body: { name: 'Seen', filters, saved: true } });
  await post(`${project}/insights/${body.id}/viewed/`);
  await post(`${project}/actions/`, { body: { name: 'Saw it', steps: [{ event: 'seen' }] } });
  await post(`${project}/dashboards/`, { body: { name: 'All of it', tiles: [{ insight: body.id }] } });
}
