/** To whom an alert speaks: its subscribed members and its webhooks, as they are now. */
import { DAY_MS } from '../../core/time/units.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { DeliveryTarget } from '../deliveries/rules/delivery-target.ts';
import type { Alert, AlertTarget } from './store/alert-store.ts';

/** How long the secret before the current one is valid. */
const ROLLING_MS = DAY_MS;

export async function targetsOf(
  store: MetadataStore,
  project: Project,
  { subscribedUsers, targets }: Pick<Alert, 'subscribedUsers' | 'targets'>,
  now: number,
): Promise<DeliveryTarget[]> {
  const users = await store.users.listByIds(subscribedUsers);
  const members: DeliveryTarget[] = [];
  for (const { id, email, isActive } of users) {
    if (isActive && (await store.memberships.get(project.organizationId, id)))
      members.push({ type: 'email', userId: id, address: email });
  }
  return [...members, ...targets.flatMap((target) => webhookOf(project, target, now))];
}

export function webhookOf({ slackIncomingWebhook }: Project, target: AlertTarget, now: number): DeliveryTarget[] {
  const url = target.url ?? slackIncomingWebhook;
  if (url === null) return [];
  if (target.type === 'slack_webhook') return [{ type: 'slack_webhook', url }];
  const { secret, previousSecret, rolledAt } = target;
  const isRolling = previousSecret !== null && rolledAt !== null && now < rolledAt + ROLLING_MS;
  const secrets = [secret, isRolling ? previousSecret : null].filter((one): one is string => one !== null);
  return [{ type: 'webhook', url, secrets }];
}
