/** What the webhook of a project is told about its experiments: in the outbox together with the change itself. */
import type { JsonObject } from '../../../core/json/json.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { makeDeliveries } from '../../deliveries/make-deliveries.ts';
import { type ExperimentMessage, messageOf } from '../rules/experiment-message.ts';
import type { Experiment } from '../store/experiment-store.ts';

interface NotifyDeps {
  config: { publicUrl: string | null };
}

/** Nothing where the project has no webhook, or nothing happened that concerns others. */
export async function notifyWebhooks(
  { config }: NotifyDeps,
  store: MetadataStore,
  project: Project,
  userId: number | null,
  before: Experiment,
  after: Experiment,
): Promise<void> {
  const { slackIncomingWebhook: url } = project;
  const message = messageOf(before, after, after.updatedAt);
  if (url === null || message === null) return;
  const user = userId === null ? null : await store.users.get(userId);
  const flag = await store.flags.get(project.id, after.flagId);
  const by = user?.email ?? 'Cairn';
  await makeDeliveries(store, {
    projectId: project.id,
    kind: 'experiment',
    subjectId: `${after.id}-${message.type}`,
    slot: after.updatedAt,
    targets: [{ type: 'slack_webhook', url }],
    ownerId: userId,
    now: after.updatedAt,
    message: {
      type: `experiment.${message.type}`,
      timestamp: after.updatedAt,
      title: `${after.name}: ${message.title}`,
      text: message.text,
      facts: [
        { name: 'Project', value: project.name },
        { name: 'Feature flag', value: flag?.key ?? 'deleted' },
        { name: 'By', value: by },
      ],
      url: config.publicUrl === null ? null : `${config.publicUrl}/project/${project.id}/experiments/${after.id}`,
      data: dataOf(after, flag?.key ?? null, by, message),
    },
  });
}

const dataOf = (
  { id, name, projectId }: Experiment,
  flagKey: string | null,
  by: string,
  message: ExperimentMessage,
): JsonObject => ({
  experiment_id: id,
  project_id: projectId,
  name,
  feature_flag_key: flagKey,
  by,
  ...message.data,
});
