/** The alert that a gradual rollout goes by: it stops when the alert has fired, and does not go on without it. */
import { Failure } from '../../../core/errors.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { ScheduledChange } from '../store/scheduled-change-store.ts';

type Alert = NonNullable<Awaited<ReturnType<MetadataStore['alerts']['get']>>>;

export const getGuard = async (store: MetadataStore, { projectId, alertId }: ScheduledChange): Promise<Alert | null> =>
  alertId === null ? null : store.alerts.get(projectId, alertId);

/** The newest looks are enough: older ones were seen when they were new. */
const RECENT_CHECKS = 100;

/** Since the rollout was scheduled. One that has cleared again counts, too. */
export async function hasFired(store: MetadataStore, { id, state }: Alert, since: number): Promise<boolean> {
  if (state === 'Firing') return true;
  const { items } = await store.alerts.listChecks(id, { limit: RECENT_CHECKS, offset: 0 });
  return items.some(({ createdAt, details }) => createdAt >= since && details.state === 'Firing');
}

export const firedReason = ({ name }: Alert): string => `The alert "${name}" fired: the gradual rollout was stopped.`;

/** Before each step: nothing is rolled out further that nobody watches. */
export async function requireQuiet(store: MetadataStore, change: ScheduledChange): Promise<void> {
  const alert = await getGuard(store, change);
  if (alert === null) throw stopped('The alert that watches the gradual rollout was deleted.');
  if (await hasFired(store, alert, change.createdAt)) throw stopped(firedReason(alert));
  if (!alert.enabled) throw stopped(`The alert "${alert.name}", which watches the gradual rollout, was turned off.`);
  if (alert.state === 'Errored')
    throw stopped(`The alert "${alert.name}", which watches the gradual rollout, cannot be checked.`);
}

const stopped = (reason: string): Failure => new Failure('conflict', reason);
