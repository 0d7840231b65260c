import { expect, vi } from 'vitest';
import type { Answer, CallOptions } from './client.ts';
import { isEmbedded } from './server.ts';

type Call = (path: string, options?: CallOptions) => Promise<Answer>;

/** Creates one of everything that is saved beside flags, so that their paths exist. */
export async function createSavedInsights({ get, post }: { get: Call; post: Call }): Promise<void> {
  const project = '/api/projects/1';
  const filters = { insight: 'TRENDS', events: [{ id: 'seen' }] };
  const { body } = await post(`${project}/insights/`, { body: { name: 'Seen', filters, saved: true } });
  await post(`${project}/insights/${body.id}/viewed/`);
  await post(`${project}/actions/`, { body: { name: 'Saw it', steps: [{ event: 'seen' }] } });
  await post(`${project}/dashboards/`, { body: { name: 'All of it', tiles: [{ insight: body.id }] } });
  await post(`${project}/insights/${body.id}/sharing/passwords/`, { body: { note: 'for the board' } });
  const metrics = [{ metric_type: 'mean', source: { kind: 'EventsNode', event: 'seen' } }];
  const experiment = {
    name: 'Colours',
    feature_flag_key: 'colours',
    start_date: '2026-01-15T12:00:00Z',
    metrics,
    allow_unknown_events: true,
  };
  const { body: made } = await post(`${project}/experiments/`, { body: experiment });
  const holdout = { name: 'Nobody new', filters: [{ properties: [], rollout_percentage: 5 }] };
  await post(`${project}/experiment_holdouts/`, { body: holdout });
  await post(`${project}/experiment_saved_metrics/`, { body: { name: 'Seen', query: metrics[0] } });
  await post(`${project}/web_analytics/shares/`, { body: { name: 'Blog' } });
  await post(`${project}/annotations/`, { body: { content: 'v1.2.0' } });
  const threshold = { configuration: { type: 'absolute', bounds: { lower: null, upper: 1_000_000 } } };
  const targets = [{ type: 'slack_webhook', url: 'https://hooks.example.org/services/T0' }];
  const alert = await post(`${project}/alerts/`, { body: { name: 'Many', insight: body.id, threshold, targets } });
  await post(`${project}/alerts/${alert.body.id}/test/`);
  const digest = { insight: body.id, target_type: 'slack', target_value: 'https://hooks.example.org/services/T0' };
  const schedule = { frequency: 'weekly', start_date: '2026-02-01T08:00:00Z' };
  await post(`${project}/subscriptions/`, { body: { ...digest, ...schedule } });
  const inputs = { url: { value: 'https://hooks.example.org/events' } };
  await post(`${project}/hog_functions/`, { body: { template_id: 'template-webhook', name: 'CRM', inputs } });
  const lake = { bucket_name: 'my-events', endpoint_url: 'https://s3.example.org' };
  const config = { ...lake, aws_access_key_id: 'key', aws_secret_access_key: 'secret' };
  const destination = { type: 'S3', config };
  const files = await post(`${project}/batch_exports/`, { body: { name: 'Lake', destination } });
  const start_at = new Date(Date.parse(files.body.exported_until) - 3_600_000).toISOString();
  await post(`${project}/batch_exports/${files.body.id}/backfills/`, { body: { start_at } });
  const change = { record_id: made.feature_flag?.id, model_name: 'FeatureFlag', scheduled_at: '2100-01-01T00:00:00Z' };
  const payload = { operation: 'update_status', value: false };
  await post(`${project}/scheduled_changes/`, { body: { ...change, payload } });
  await post(`${project}/early_access_feature/`, { body: { name: 'Dark mode', stage: 'beta' } });
  const reviewed = { action_key: 'feature_flag.enable', conditions: { tags: ['reviewed'] } };
  await post(`${project}/approval_policies/`, { body: reviewed });
  // Waits for approval.
  await post(`${project}/feature_flags/`, { body: { key: 'reviewed', tags: ['reviewed'] } });
  await post(`${project}/secret_keys/`, { body: { label: 'Orders service' } });
  const query = { kind: 'HogQLQuery', query: 'select 1 as n' };
  await post(`${project}/query/`, { body: { query, async: true, client_query_id: 'nightly' } });
  // It is in the activity once it has ended; other stores have no events, and no SQL.
  if (isEmbedded) {
    const hasEnded = async () =>
      expect((await get(`${project}/activity_log/?scope=Query`)).body.results).toHaveLength(1);
    await vi.waitFor(hasEnded, { timeout: 60_000 });
  }
  await post('/api/organizations/@current/domains/', { body: { domain: 'example.org' } });
}
