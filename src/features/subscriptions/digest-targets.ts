/** To whom a digest goes now: members, allowed addresses outside, or a webhook. */
import type { Project, User } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { DeliveryTarget } from '../deliveries/rules/delivery-target.ts';
import { validSecrets } from '../deliveries/webhook-address.ts';
import type { DigestLinks } from './digest-links.ts';
import type { Subscription } from './store/subscription-store.ts';

interface DigestTargets {
  inside: DeliveryTarget[];
  /** They see no persons. */
  outside: DeliveryTarget[];
}

/** The active member with this address; null where there is none. */
export async function memberWith(store: MetadataStore, organizationId: string, address: string): Promise<User | null> {
  const user = await store.users.getByEmail(address);
  if (!user?.isActive || !(await store.memberships.get(organizationId, user.id))) return null;
  return user;
}

export async function digestTargets(
  store: MetadataStore,
  project: Project,
  subscription: Subscription,
  links: DigestLinks,
  now: number,
): Promise<DigestTargets> {
  const { target, externalRecipients } = subscription;
  if (target.type !== 'email') return { inside: webhookTarget(project, target, now), outside: [] };
  const [inside, outside]: [DeliveryTarget[], DeliveryTarget[]] = [[], []];
  for (const address of target.addresses) {
    const unsubscribeUrl = await links.urlOf(subscription, address);
    const member = await memberWith(store, project.organizationId, address);
    if (member) inside.push({ type: 'email', userId: member.id, address: member.email, unsubscribeUrl });
    else if (externalRecipients) outside.push({ type: 'email', userId: null, address, unsubscribeUrl });
  }
  return { inside, outside };
}

export function webhookTarget(
  { slackIncomingWebhook }: Project,
  target: Exclude<Subscription['target'], { type: 'email' }>,
  now: number,
): DeliveryTarget[] {
  const url = target.url ?? slackIncomingWebhook;
  if (url === null) return [];
  if (target.type === 'slack') return [{ type: 'slack_webhook', url }];
  return [{ type: 'webhook', url, secrets: validSecrets(target, now) }];
}
