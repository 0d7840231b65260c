/** Tells whoever scheduled a change that it was not made: in the outbox, together with the note of it. */
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { makeDeliveries } from '../../deliveries/make-deliveries.ts';
import type { ScheduledChange } from '../store/scheduled-change-store.ts';

interface NotifyDeps {
  config: { publicUrl: string | null };
}

/** Nobody, if the author has left. */
export async function notifyAuthor(
  { config }: NotifyDeps,
  store: MetadataStore,
  change: ScheduledChange,
  reason: string,
): Promise<void> {
  const { projectId, flagId, id, createdBy, alertId, scheduledAt, updatedAt } = change;
  const project = await store.projects.get(projectId);
  const author = createdBy === null ? null : await store.users.get(createdBy);
  if (!project || !author?.isActive || !(await store.memberships.get(project.organizationId, author.id))) return;
  const key = (await store.flags.get(projectId, flagId))?.key ?? `flag ${flagId}`;
  const isRamp = change.payload['operation'] === 'ramp';
  await makeDeliveries(store, {
    projectId,
    kind: 'flag',
    subjectId: `scheduled-change-${id}`,
    slot: scheduledAt,
    targets: [{ type: 'email', userId: author.id, address: author.email }],
    ownerId: author.id,
    now: updatedAt,
    message: {
      type: isRamp ? 'flag.rollout_halted' : 'flag.change_not_made',
      timestamp: updatedAt,
      title: isRamp ? `${key}: the gradual rollout was stopped` : `${key}: a scheduled change was not made`,
      text: reason,
      facts: [
        { name: 'Project', value: project.name },
        { name: 'Feature flag', value: key },
        ...(isRamp ? [{ name: 'Steps made', value: String(change.step) }] : []),
      ],
      url: config.publicUrl === null ? null : `${config.publicUrl}/project/${projectId}/flags/${flagId}?tab=schedule`,
      data: { project_id: projectId, feature_flag_id: flagId, scheduled_change_id: id, alert_id: alertId, reason },
    },
  });
}
