/** Links with which members stop the mails of one alert, without signing in. They do nothing else, so they never expire. */
import { changesBetween, recordActivity } from '../../access/record-activity.ts';
import { notFound } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { SigningSecret } from '../accounts/signing-secret.ts';
import type { Alert } from './store/alert-store.ts';

export interface UnsubscribeDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

interface Subscription {
  projectId: number;
  alertId: string;
  userId: number;
}

const SECRET = 'unsubscribe_secret';

const namesOf = ({ projectId, alertId, userId }: Subscription): string => `${projectId}.${alertId}.${userId}`;

export class UnsubscribeLinks {
  readonly #secret: SigningSecret;
  readonly #publicUrl: string | null;

  constructor(deps: UnsubscribeDeps, publicUrl: string | null) {
    this.#secret = new SigningSecret(deps, SECRET);
    this.#publicUrl = publicUrl;
  }

  /** Loads the secret. Call it before a transaction in which links are made: it may have to be written. */
  async prepare(): Promise<void> {
    await this.#secret.sign('');
  }

  /** Null where the address of this server is unknown. */
  async urlOf({ projectId, id }: Pick<Alert, 'projectId' | 'id'>, userId: number): Promise<string | null> {
    if (this.#publicUrl === null) return null;
    const names = namesOf({ projectId, alertId: id, userId });
    return new URL(`/unsubscribe/${names}.${await this.#secret.sign(names)}`, this.#publicUrl).toString();
  }

  /** Null for a link that is not ours. */
  async read(token: string): Promise<Subscription | null> {
    const [projectId = '', alertId = '', userId = '', signed = '', ...rest] = token.split('.');
    const subscription = { projectId: Number(projectId), alertId, userId: Number(userId) };
    const isOurs = rest.length === 0 && (await this.#secret.isSignatureOf(`${projectId}.${alertId}.${userId}`, signed));
    return isOurs ? subscription : null;
  }
}

/** The alert says nothing to this member any more. A second time changes nothing. */
export async function unsubscribe(deps: UnsubscribeDeps, links: UnsubscribeLinks, token: string): Promise<void> {
  const subscription = await links.read(token);
  if (subscription === null) throw notFound();
  const { projectId, alertId, userId } = subscription;
  await deps.metadata.transaction(async (store) => {
    const alert = await store.alerts.get(projectId, alertId);
    const project = await store.projects.get(projectId);
    if (!alert || !project || !alert.subscribedUsers.includes(userId)) return;
    const subscribedUsers = alert.subscribedUsers.filter((id) => id !== userId);
    await store.alerts.update({
      ...alert,
      subscribedUsers,
      revision: alert.revision + 1,
      updatedAt: deps.clock.now(),
    });
    await recordActivity(deps, store, {
      organizationId: project.organizationId,
      projectId,
      userId,
      scope: 'Alert',
      itemId: alertId,
      name: alert.name,
      activity: 'updated',
      changes: changesBetween(
        'Alert',
        { subscribed_users: [...alert.subscribedUsers] },
        { subscribed_users: subscribedUsers },
      ),
    });
  });
}
