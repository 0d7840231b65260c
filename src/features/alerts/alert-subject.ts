import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { Alert } from './store/alert-store.ts';

/** What an alert watches, for people. */
export async function subjectName(
  store: MetadataStore,
  { projectId, insightId, definition: { config } }: Pick<Alert, 'projectId' | 'insightId' | 'definition'>,
): Promise<string> {
  if (config.type === 'SilentEventConfig') return config.event;
  if (config.type === 'FlagChangeConfig') return 'Changes of feature flags';
  if (config.type === 'LagConfig') return 'Seconds that events wait to be processed';
  if (config.type === 'DiskConfig') return 'Free disk space in percent';
  if (config.type === 'NewErrorConfig') return 'New errors';
  const insight = insightId === null ? null : await store.insights.get(projectId, insightId);
  return insight?.name ?? insight?.derivedName ?? `Insight ${insightId}`;
}

/** In the console. */
export const alertUrl = (
  publicUrl: string | null,
  { projectId, id }: Pick<Alert, 'projectId' | 'id'>,
): string | null => (publicUrl === null ? null : `${publicUrl}/project/${projectId}/alerts/${id}`);
