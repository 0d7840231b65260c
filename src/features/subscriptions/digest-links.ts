/** Links with which a recipient leaves one digest, without signing in. They do nothing else, so they never expire. */
import { changesBetween, recordActivity } from '../../access/record-activity.ts';
import { notFound } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { SigningSecret } from '../accounts/signing-secret.ts';
import { addressHash } from './rules/subscription-target.ts';

export interface DigestLinkDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
}

const SECRET = 'unsubscribe_secret';
/** Apart from the links of alerts, which are signed with the same secret. */
const PURPOSE = 'digest';
const NO_RECIPIENTS = 'All recipients have unsubscribed.';

export class DigestLinks {
  readonly #secret: SigningSecret;
  readonly #publicUrl: string | null;

  constructor(deps: DigestLinkDeps, publicUrl: string | null) {
    this.#secret = new SigningSecret(deps, SECRET);
    this.#publicUrl = publicUrl;
  }

  /** Loads the secret. Call it before a transaction in which links are made: it may have to be written. */
  async prepare(): Promise<void> {
    await this.#secret.sign('');
  }

  /** Null where the address of this server is unknown. */
  async urlOf({ projectId, id }: { projectId: number; id: number }, address: string): Promise<string | null> {
    if (this.#publicUrl === null) return null;
    const names = `${projectId}.${id}.${addressHash(address)}`;
    const token = `${names}.${await this.#secret.sign(`${PURPOSE}.${names}`)}`;
    return new URL(`/unsubscribe/digest/${token}`, this.#publicUrl).toString();
  }

  /** Null for a link that is not ours. */
  async read(token: string): Promise<{ projectId: number; id: number; hash: string } | null> {
    const [projectId = '', id = '', hash = '', signed = '', ...rest] = token.split('.');
    const names = `${PURPOSE}.${projectId}.${id}.${hash}`;
    const isOurs = rest.length === 0 && (await this.#secret.isSignatureOf(names, signed));
    return isOurs ? { projectId: Number(projectId), id: Number(id), hash } : null;
  }
}

/** The digest goes to this address no more. A second time changes nothing. */
export async function leaveDigest(deps: DigestLinkDeps, links: DigestLinks, token: string): Promise<void> {
  const link = await links.read(token);
  if (link === null) throw notFound();
  const now = deps.clock.now();
  await deps.metadata.transaction(async (store) => {
    const before = await store.subscriptions.get(link.projectId, link.id);
    const project = await store.projects.get(link.projectId);
    if (!before || !project || before.target.type !== 'email') return;
    const left = before.target.addresses.find((one) => addressHash(one) === link.hash);
    if (left === undefined) return;
    const addresses = before.target.addresses.filter((one) => one !== left);
    const paused = addresses.length === 0 ? { enabled: false, pausedReason: NO_RECIPIENTS } : {};
    const target = { type: 'email', addresses } as const;
    await store.subscriptions.update({ ...before, ...paused, target, revision: before.revision + 1, updatedAt: now });
    await recordActivity(deps, store, {
      organizationId: project.organizationId,
      projectId: project.id,
      userId: (await store.users.getByEmail(left))?.id ?? null,
      scope: 'Subscription',
      itemId: String(before.id),
      name: before.title,
      activity: 'updated',
      changes: changesBetween(
        'Subscription',
        { recipients: before.target.addresses.length },
        { recipients: addresses.length },
      ),
    });
  });
}
