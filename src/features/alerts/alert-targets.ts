/** To whom an alert speaks: its subscribed members and its webhooks, as they are now. */
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { DeliveryTarget } from '../deliveries/rules/delivery-target.ts';
import { validSecrets } from '../deliveries/webhook-address.ts';
import type { Alert, AlertTarget } from './store/alert-store.ts';
import type { UnsubscribeLinks } from './unsubscribe.ts';

export async function targetsOf(
  store: MetadataStore,
  project: Project,
  alert: Pick<Alert, 'id' | 'projectId' | 'subscribedUsers' | 'targets'>,
  links: UnsubscribeLinks,
  now: number,
): Promise<DeliveryTarget[]> {
  const { subscribedUsers, targets } = alert;
  const users = await store.users.listByIds(subscribedUsers);
  const members: DeliveryTarget[] = [];
  for (const { id, email, isActive } of users) {
    if (isActive && (await store.memberships.get(project.organizationId, id)))
      members.push({ type: 'email', userId: id, address: email, unsubscribeUrl: await links.urlOf(alert, id) });
  }
  return [...members, ...targets.flatMap((target) => webhookOf(project, target, now))];
}

export function webhookOf({ slackIncomingWebhook }: Project, target: AlertTarget, now: number): DeliveryTarget[] {
  const url = target.url ?? slackIncomingWebhook;
  if (url === null) return [];
  if (target.type === 'slack_webhook') return [{ type: 'slack_webhook', url }];
  return [{ type: 'webhook', url, secrets: validSecrets(target, now) }];
}
