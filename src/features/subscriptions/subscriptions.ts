/** Creates and changes digests, and records who did. */
import { type Caller, isAdmin } from '../../access/callers.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../access/record-activity.ts';
import { forbidden, invalid, notFound } from '../../core/errors.ts';
import type { Json } from '../../core/json/json.ts';
import type { Recurrence } from '../../core/schedules/recurrence.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { makeDeliveries } from '../deliveries/make-deliveries.ts';
import { targetHash } from '../deliveries/rules/delivery-target.ts';
import { newWebhookSecret, requireWebhookAddress } from '../deliveries/webhook-address.ts';
import { type DigestContentDeps, digestContent } from './digest-content.ts';
import { DigestLinks } from './digest-links.ts';
import { digestMessage, invitationMessage, scheduleText } from './digest-message.ts';
import { memberWith, webhookTarget } from './digest-targets.ts';
import { firstSlot } from './rules/read-recurrence.ts';
import { readAddresses, type SubscriptionTarget, type TargetType } from './rules/subscription-target.ts';
import type { Subscription } from './store/subscription-store.ts';

export interface SubscriptionDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  config: { publicUrl: string | null; webhookAllowPrivate: boolean };
}

/** A target as it was sent. */
interface TargetInput {
  type: TargetType;
  value: string;
  rollSecret: boolean;
}

export interface SubscriptionChanges {
  dashboardId?: number | null;
  insightId?: number | null;
  title?: string;
  target?: TargetInput;
  externalRecipients?: boolean;
  inviteMessage?: string | null;
  recurrence?: Recurrence;
  enabled?: boolean;
  deleted?: boolean;
}

/** A digest, and the secret of its webhook where that is new, which is shown once. */
interface SavedSubscription {
  subscription: Subscription;
  secret: string | null;
}

const MAX_SUBSCRIPTIONS = 200;
const SUBSCRIPTION_SCOPE = 'Subscription';

export async function createSubscription(
  deps: SubscriptionDeps,
  caller: Caller,
  project: Project,
  changes: SubscriptionChanges & { recurrence: Recurrence; target: TargetInput },
): Promise<SavedSubscription> {
  const now = deps.clock.now();
  const links = await preparedLinks(deps);
  return deps.metadata.transaction(async (store) => {
    if ((await store.subscriptions.count(project.id)) >= MAX_SUBSCRIPTIONS)
      throw invalid(undefined, `A project has at most ${MAX_SUBSCRIPTIONS} digests. Delete one.`, 'limit_reached');
    const { target, secret } = readTarget(deps, caller, project, null, changes.target);
    const made: Omit<Subscription, 'id'> = {
      projectId: project.id,
      dashboardId: changes.dashboardId ?? null,
      insightId: changes.insightId ?? null,
      title: changes.title ?? '',
      target,
      externalRecipients: changes.externalRecipients ?? false,
      inviteMessage: changes.inviteMessage ?? null,
      recurrence: changes.recurrence,
      enabled: changes.enabled ?? true,
      pausedReason: null,
      deleted: false,
      nextSlot: firstSlot(changes.recurrence, now, project.timezone),
      lastSlot: null,
      revision: 1,
      createdAt: now,
      createdBy: caller.user.id,
      updatedAt: now,
    };
    const name = await requireSubject(store, project, made);
    const named = { ...made, title: made.title.trim() || name };
    await requireRecipients(store, caller, project, null, named);
    const subscription = { ...named, id: await store.subscriptions.create(named) };
    await resumeTarget(store, project, subscription, now);
    await invite(store, caller, project, subscription, [], links, now);
    await recordActivity(deps, store, { ...about(caller, project, subscription), activity: 'created', changes: null });
    return { subscription, secret };
  });
}

/** Only what is given changes. */
export async function updateSubscription(
  deps: SubscriptionDeps,
  caller: Caller,
  project: Project,
  id: number,
  changes: SubscriptionChanges,
): Promise<SavedSubscription> {
  const now = deps.clock.now();
  const links = await preparedLinks(deps);
  return deps.metadata.transaction(async (store) => {
    const before = await getSubscription(store, project, id);
    const { target: given, title, ...rest } = changes;
    const { target, secret } = given
      ? readTarget(deps, caller, project, before.target, given)
      : { target: before.target, secret: null };
    const changed: Subscription = {
      ...before,
      ...rest,
      title: title?.trim() || before.title,
      target,
      revision: before.revision + 1,
      updatedAt: now,
    };
    const isResumed = changed.enabled && !before.enabled;
    const subscription: Subscription = {
      ...changed,
      // Another schedule starts anew; so does one that was off for a while.
      nextSlot:
        changes.recurrence || isResumed ? firstSlot(changed.recurrence, now, project.timezone) : before.nextSlot,
      pausedReason: changed.enabled ? null : before.pausedReason,
      createdBy: isResumed ? await ownerOf(store, project, before, caller) : before.createdBy,
    };
    if (!onlyStops(changes)) {
      await requireSubject(store, project, subscription);
      await requireRecipients(store, caller, project, before, subscription);
    }
    await store.subscriptions.update(subscription);
    if (given) await resumeTarget(store, project, subscription, now);
    await invite(store, caller, project, subscription, addressesOf(before), links, now);
    const differences = changesBetween(SUBSCRIPTION_SCOPE, visible(before, project), visible(subscription, project));
    await recordActivity(deps, store, {
      ...about(caller, project, subscription),
      activity: changes.deleted === true ? 'deleted' : 'updated',
      changes: changes.deleted === true ? null : differences,
    });
    return { subscription, secret };
  });
}

/** Every editor may stop a digest, also one that only admins may change. */
const onlyStops = ({ enabled, deleted, ...others }: SubscriptionChanges): boolean =>
  Object.keys(others).length === 0 && (enabled === false || deleted === true);

export function deleteSubscription(
  deps: SubscriptionDeps,
  caller: Caller,
  project: Project,
  id: number,
): Promise<void> {
  return deps.metadata.transaction(async (store) => {
    const subscription = await getSubscription(store, project, id);
    await store.subscriptions.delete(project.id, id);
    await recordActivity(deps, store, { ...about(caller, project, subscription), activity: 'deleted', changes: null });
  });
}

export async function getSubscription(
  store: MetadataStore,
  project: Pick<Project, 'id'>,
  id: number,
): Promise<Subscription> {
  const subscription = await store.subscriptions.get(project.id, id);
  if (!subscription) throw notFound();
  return subscription;
}

/** Sends it now, marked as a test: a mail to whoever asks for it, or to the webhook. How many messages were made. */
export async function testSubscription(
  deps: SubscriptionDeps & DigestContentDeps,
  caller: Caller,
  project: Project,
  id: number,
  signal: AbortSignal,
): Promise<number> {
  const { metadata, clock, config } = deps;
  const subscription = await getSubscription(metadata, project, id);
  const now = clock.now();
  const content = await digestContent(deps, subscription, { project, publicUrl: config.publicUrl, now, signal });
  const { target } = subscription;
  const targets =
    target.type === 'email'
      ? [{ type: 'email', userId: caller.user.id, address: caller.user.email } as const]
      : webhookTarget(project, target, now);
  const message = digestMessage({
    subscription,
    project,
    content,
    tiles: content.tiles,
    slot: now,
    isTest: true,
    now,
  });
  const to = { projectId: project.id, kind: 'test', subjectId: String(id), ownerId: subscription.createdBy } as const;
  return metadata.transaction((store) => makeDeliveries(store, { ...to, slot: now, message, targets, now }));
}

async function preparedLinks(deps: SubscriptionDeps): Promise<DigestLinks> {
  const links = new DigestLinks(deps, deps.config.publicUrl);
  await links.prepare();
  return links;
}

/** Exactly one of both, in this project. Its name. */
async function requireSubject(
  store: MetadataStore,
  { id }: Project,
  { dashboardId, insightId }: Pick<Subscription, 'dashboardId' | 'insightId'>,
): Promise<string> {
  if ((dashboardId === null) === (insightId === null))
    throw invalid(dashboardId === null ? 'dashboard' : 'insight', 'A digest is about a dashboard or an insight: one.');
  if (dashboardId !== null) {
    const dashboard = await store.dashboards.get(id, dashboardId);
    if (dashboard && !dashboard.deleted) return dashboard.name || 'Dashboard';
    throw invalid('dashboard', `This project has no dashboard with the id ${dashboardId}.`, 'does_not_exist');
  }
  const insight = insightId === null ? null : await store.insights.get(id, insightId);
  if (insight && !insight.deleted) return insight.name || insight.derivedName || 'Insight';
  throw invalid('insight', `This project has no insight with the id ${insightId}.`, 'does_not_exist');
}

/** A webhook carries what is in the project to somewhere else, so a new address needs an admin. */
function readTarget(
  { ids, clock, config }: SubscriptionDeps,
  caller: Caller,
  { organizationId }: Project,
  before: SubscriptionTarget | null,
  { type, value, rollSecret }: TargetInput,
): { target: SubscriptionTarget; secret: string | null } {
  if (type === 'email') return { target: { type, addresses: readAddresses(value) }, secret: null };
  const url = value.trim() === '' ? null : value.trim();
  const known = before?.type === type ? before : null;
  if (url !== (known?.url ?? null) || (known === null && url !== null)) {
    if (!isAdmin(caller, organizationId))
      throw forbidden('Only admins can add the address of a webhook. For slack, leave out target_value.');
    if (url !== null) requireWebhookAddress(url, 'target_value', config.webhookAllowPrivate);
  }
  if (type === 'slack') return { target: { type, url }, secret: null };
  if (url === null) throw invalid('target_value', 'A webhook needs an address.', 'required');
  if (known?.type === 'webhook' && !rollSecret) return { target: { ...known, url }, secret: null };
  const secret = newWebhookSecret(ids);
  if (known?.type !== 'webhook') return { target: { type, url, secret, previousSecret: null, rolledAt: null }, secret };
  if (!isAdmin(caller, organizationId)) throw forbidden('Only admins can replace the secret of a webhook.');
  return { target: { type, url, secret, previousSecret: known.secret, rolledAt: clock.now() }, secret };
}

/**
 * Mail goes to members. Addresses outside are for admins: they allow them, and only they change a digest that has some,
 * since what it shows leaves the organization.
 */
async function requireRecipients(
  store: MetadataStore,
  caller: Caller,
  { organizationId }: Project,
  before: Subscription | null,
  subscription: Omit<Subscription, 'id'>,
): Promise<void> {
  const { target, externalRecipients } = subscription;
  const isOfAdmins = externalRecipients || before?.externalRecipients === true;
  if (isOfAdmins && !isAdmin(caller, organizationId))
    throw forbidden('Only admins can change a digest that goes to addresses outside of the organization.');
  if (externalRecipients || target.type !== 'email') return;
  for (const address of target.addresses) {
    if (await memberWith(store, organizationId, address)) continue;
    throw invalid(
      'target_value',
      `${address} is not the address of a member. An admin can allow it: external_recipients.`,
      'external_recipient',
    );
  }
}

/** Whose rights count from now on: as before, unless they have left. */
async function ownerOf(
  store: MetadataStore,
  { organizationId }: Project,
  { createdBy }: Subscription,
  caller: Caller,
): Promise<number> {
  const isThere = createdBy !== null && (await store.memberships.get(organizationId, createdBy));
  return isThere ? createdBy : caller.user.id;
}

/** A target that is saved again is tried again. */
async function resumeTarget(store: MetadataStore, project: Project, { target }: Subscription, now: number) {
  if (target.type === 'email') return;
  for (const one of webhookTarget(project, target, now))
    await store.deliveries.resumeTarget(project.id, targetHash(one));
}

const addressesOf = ({ target }: Subscription): readonly string[] => (target.type === 'email' ? target.addresses : []);

/** With a message, those who were added are told at once. */
async function invite(
  store: MetadataStore,
  caller: Caller,
  project: Project,
  subscription: Subscription,
  known: readonly string[],
  links: DigestLinks,
  now: number,
): Promise<void> {
  if (subscription.inviteMessage === null || subscription.deleted) return;
  const added = addressesOf(subscription).filter((one) => !known.includes(one) && one !== caller.user.email);
  for (const address of added) {
    const member = await memberWith(store, project.organizationId, address);
    const unsubscribeUrl = await links.urlOf(subscription, address);
    await makeDeliveries(store, {
      projectId: project.id,
      kind: 'notice',
      subjectId: String(subscription.id),
      ownerId: caller.user.id,
      slot: now,
      message: invitationMessage(subscription, project, caller.user.firstName || caller.user.email, now),
      targets: [{ type: 'email', userId: member?.id ?? null, address: member?.email ?? address, unsubscribeUrl }],
      now,
    });
  }
}

/** Addresses and secrets are left out. */
const visible = (subscription: Subscription, project: Project): Record<string, Json> => ({
  title: subscription.title,
  dashboard: subscription.dashboardId,
  insight: subscription.insightId,
  target_type: subscription.target.type,
  recipients: addressesOf(subscription).length,
  external_recipients: subscription.externalRecipients,
  schedule: scheduleText(subscription, project),
  start_date: new Date(subscription.recurrence.start).toISOString(),
  enabled: subscription.enabled,
});

const about = (caller: Caller, project: Project, { id, title }: Subscription) =>
  ({
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    scope: SUBSCRIPTION_SCOPE,
    itemId: String(id),
    name: title,
  }) satisfies Partial<ActivityEntry>;
