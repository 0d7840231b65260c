/** Creates and changes alerts, and records who did. */
import { type Caller, isAdmin } from '../../access/callers.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../access/record-activity.ts';
import { QUIET } from '../../core/alerts/judge.ts';
import { isWeekend, slotAfter, slotAt, slotUnit } from '../../core/alerts/slots.ts';
import { forbidden, invalid, notFound } from '../../core/errors.ts';
import type { Json } from '../../core/json/json.ts';
import { MINUTE_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { makeDeliveries } from '../deliveries/make-deliveries.ts';
import { targetHash } from '../deliveries/rules/delivery-target.ts';
import { newWebhookSecret, requireWebhookAddress } from '../deliveries/webhook-address.ts';
import { alertMessage } from './alert-message.ts';
import { alertUrl, subjectName } from './alert-subject.ts';
import { targetsOf, webhookOf } from './alert-targets.ts';
import { type AlertDefinition, isSameRule, needsInsight } from './rules/alert-definition.ts';
import { presentDefinition } from './rules/present-definition.ts';
import type { Alert, AlertTarget } from './store/alert-store.ts';
import { UnsubscribeLinks } from './unsubscribe.ts';

export interface AlertDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  config: { publicUrl: string | null; webhookAllowPrivate: boolean };
}

/** A target as it was sent: an id says that it is one of those that are there. */
interface TargetInput {
  id: string | null;
  type: AlertTarget['type'];
  url: string | null;
  rollSecret: boolean;
}

export interface AlertChanges {
  name?: string;
  insightId?: number | null;
  enabled?: boolean;
  definition?: AlertDefinition;
  subscribedUsers?: readonly number[];
  targets?: readonly TargetInput[];
  snoozedUntil?: number | null;
}

/** An alert, and the secrets of its new targets, which are shown once. */
interface SavedAlert {
  alert: Alert;
  secrets: ReadonlyMap<string, string>;
}

const MAX_ENABLED_ALERTS = 200;
const MAX_EVERY_MINUTE = 20;
const MAX_TARGETS = 25;
const MAX_SUBSCRIBERS = 100;
/** SDKs send events in batches: those of a slot may come a little after its end. */
export const GRACE_MS = MINUTE_MS;
const ALERT_SCOPE = 'Alert';

export function createAlert(
  deps: AlertDeps,
  caller: Caller,
  project: Project,
  changes: AlertChanges & { name: string; definition: AlertDefinition },
): Promise<SavedAlert> {
  const now = deps.clock.now();
  return deps.metadata.transaction(async (store) => {
    const { targets, secrets } = readTargets(deps, caller, project, [], changes.targets ?? []);
    const alert: Alert = {
      id: deps.ids.uuid(),
      projectId: project.id,
      insightId: changes.insightId ?? null,
      name: changes.name,
      enabled: changes.enabled ?? true,
      definition: changes.definition,
      subscribedUsers: [...(changes.subscribedUsers ?? [])],
      targets,
      snoozedUntil: changes.snoozedUntil ?? null,
      ...begun(changes.definition, project, now),
      lastCheckedAt: null,
      lastNotifiedAt: null,
      revision: 1,
      createdAt: now,
      createdBy: caller.user.id,
      updatedAt: now,
    };
    await checkAlert(store, project, alert);
    await store.alerts.create(alert);
    await resumeTargets(store, project, alert, now);
    await recordActivity(deps, store, { ...about(caller, project, alert), activity: 'created', changes: null });
    return { alert, secrets };
  });
}

/** Only what is given changes. */
export function updateAlert(
  deps: AlertDeps,
  caller: Caller,
  project: Project,
  id: string,
  changes: AlertChanges,
): Promise<SavedAlert> {
  const now = deps.clock.now();
  return deps.metadata.transaction(async (store) => {
    const before = await getAlert(store, project, id);
    const { targets: given, subscribedUsers, ...rest } = changes;
    const { targets, secrets } = given
      ? readTargets(deps, caller, project, before.targets, given)
      : { targets: before.targets, secrets: new Map<string, string>() };
    const changed: Alert = {
      ...before,
      ...rest,
      targets,
      subscribedUsers: [...(subscribedUsers ?? before.subscribedUsers)],
      revision: before.revision + 1,
      updatedAt: now,
    };
    // Another condition starts anew; so does one that was not checked for a while.
    const isNew =
      !isSameRule(before.definition, changed.definition) ||
      before.insightId !== changed.insightId ||
      (changed.enabled && !before.enabled);
    const alert = isNew ? { ...changed, ...begun(changed.definition, project, now) } : changed;
    await checkAlert(store, project, alert);
    await store.alerts.update(alert);
    if (given) await resumeTargets(store, project, alert, now);
    const differences = changesBetween(ALERT_SCOPE, visible(before), visible(alert));
    await recordActivity(deps, store, { ...about(caller, project, alert), activity: 'updated', changes: differences });
    return { alert, secrets };
  });
}

export function deleteAlert(deps: AlertDeps, caller: Caller, project: Project, id: string): Promise<void> {
  return deps.metadata.transaction(async (store) => {
    const alert = await getAlert(store, project, id);
    await store.alerts.delete(id);
    await recordActivity(deps, store, { ...about(caller, project, alert), activity: 'deleted', changes: null });
  });
}

export async function getAlert(store: MetadataStore, project: Pick<Project, 'id'>, id: string): Promise<Alert> {
  const alert = await store.alerts.get(project.id, id);
  if (!alert) throw notFound();
  return alert;
}

/** Sends one message, marked as a test, to everybody whom the alert would tell. How many there are. */
export async function testAlert(deps: AlertDeps, project: Project, id: string): Promise<number> {
  const now = deps.clock.now();
  const links = new UnsubscribeLinks(deps, deps.config.publicUrl);
  await links.prepare();
  return deps.metadata.transaction(async (store) => {
    const alert = await getAlert(store, project, id);
    const slot = slotAt(now, slotUnit(alert.definition.interval), project.timezone);
    const message = alertMessage({
      type: 'alert.test',
      alert,
      projectName: project.name,
      subject: await subjectName(store, alert),
      slot,
      value: alert.progress.lastValue,
      label: null,
      bounds: null,
      since: null,
      notes: [],
      warnings: [],
      reason: null,
      url: alertUrl(deps.config.publicUrl, alert),
      now,
    });
    const targets = await targetsOf(store, project, alert, links, now);
    const about = { projectId: project.id, kind: 'test', subjectId: alert.id, ownerId: alert.createdBy } as const;
    return makeDeliveries(store, { ...about, slot: now, message, targets, now });
  });
}

/** Nothing is known yet; the first slot that is checked is the one that is running. */
function begun({ interval, skipWeekend }: AlertDefinition, { timezone }: Project, now: number) {
  const unit = slotUnit(interval);
  const current = slotAt(now, unit, timezone);
  const slot = skipWeekend && isWeekend(current, unit, timezone) ? slotAfter(current, unit, timezone, true) : current;
  return {
    state: 'Not firing',
    progress: { judge: QUIET, errors: 0, lastValue: null },
    nextSlot: slot.start,
    nextCheckAt: slot.end + GRACE_MS,
  } satisfies Partial<Alert>;
}

/**
 * Webhooks carry what is in the project to somewhere else, so a new address needs an admin, like the webhook of the
 * project itself.
 */
function readTargets(
  { ids, clock, config }: AlertDeps,
  caller: Caller,
  { organizationId }: Project,
  before: readonly AlertTarget[],
  given: readonly TargetInput[],
): { targets: AlertTarget[]; secrets: Map<string, string> } {
  if (given.length > MAX_TARGETS) throw invalid('targets', `An alert has at most ${MAX_TARGETS} targets.`);
  const secrets = new Map<string, string>();
  const newSecret = (id: string): string => {
    const secret = newWebhookSecret(ids);
    secrets.set(id, secret);
    return secret;
  };
  const targets = given.map(({ id, type, url, rollSecret }): AlertTarget => {
    const known = before.find((one) => one.type === type && (id === null ? one.url === url : one.id === id));
    if (id !== null && !known)
      throw invalid('targets', `The alert has no ${type} with the id ${id}.`, 'does_not_exist');
    const address = url ?? known?.url ?? null;
    if (address !== (known?.url ?? null) || !known) requireAddress(caller, organizationId, config, type, address);
    const now = clock.now();
    if (known && rollSecret && type === 'webhook') {
      if (!isAdmin(caller, organizationId)) throw forbidden('Only admins can replace the secret of a webhook.');
      return { ...known, url: address, secret: newSecret(known.id), previousSecret: known.secret, rolledAt: now };
    }
    if (known) return { ...known, url: address };
    const newId = ids.uuid();
    const secret = type === 'webhook' ? newSecret(newId) : null;
    return { id: newId, type, url: address, secret, previousSecret: null, rolledAt: null };
  });
  return { targets, secrets };
}

function requireAddress(
  caller: Caller,
  organizationId: string,
  { webhookAllowPrivate }: AlertDeps['config'],
  type: AlertTarget['type'],
  url: string | null,
): void {
  if (url === null) {
    if (type === 'webhook') throw invalid('targets', 'A webhook needs a url.', 'required');
    return;
  }
  if (!isAdmin(caller, organizationId))
    throw forbidden('Only admins can add the address of a webhook. Use the webhook of the project: leave out url.');
  requireWebhookAddress(url, 'targets', webhookAllowPrivate);
}

/** A target that is saved again is tried again. */
async function resumeTargets(store: MetadataStore, project: Project, { targets }: Alert, now: number): Promise<void> {
  for (const target of targets.flatMap((one) => webhookOf(project, one, now)))
    await store.deliveries.resumeTarget(project.id, targetHash(target));
}

async function checkAlert(store: MetadataStore, project: Project, alert: Alert): Promise<void> {
  const { insightId, definition, subscribedUsers } = alert;
  if (needsInsight(definition) && insightId === null)
    throw invalid('insight', 'insight is the id of the insight that is watched.', 'required');
  const insight = insightId === null ? null : await store.insights.get(project.id, insightId);
  if (insightId !== null && (!insight || insight.deleted))
    throw invalid('insight', `This project has no insight with the id ${insightId}.`, 'does_not_exist');
  if (subscribedUsers.length > MAX_SUBSCRIBERS)
    throw invalid('subscribed_users', `At most ${MAX_SUBSCRIBERS} users can subscribe to an alert.`);
  for (const userId of subscribedUsers) {
    if (await store.memberships.get(project.organizationId, userId)) continue;
    throw invalid('subscribed_users', `The organization has no member with the id ${userId}.`, 'does_not_exist');
  }
  await checkLimits(store, alert);
}

async function checkLimits(store: MetadataStore, alert: Alert): Promise<void> {
  if (!alert.enabled) return;
  const others = (await store.alerts.listByProject(alert.projectId)).filter(
    ({ id, enabled }) => enabled && id !== alert.id,
  );
  if (others.length >= MAX_ENABLED_ALERTS)
    throw invalid(
      'enabled',
      `A project has at most ${MAX_ENABLED_ALERTS} enabled alerts. Disable one.`,
      'limit_reached',
    );
  const isEveryMinute = ({ definition }: Alert): boolean => definition.interval === 'every_minute';
  if (isEveryMinute(alert) && others.filter(isEveryMinute).length >= MAX_EVERY_MINUTE)
    throw invalid(
      'calculation_interval',
      `A project has at most ${MAX_EVERY_MINUTE} alerts that are checked every minute. Choose hourly.`,
      'limit_reached',
    );
}

/** Addresses and secrets are left out. */
const visible = (alert: Alert): Record<string, Json> => ({
  name: alert.name,
  insight: alert.insightId,
  enabled: alert.enabled,
  ...presentDefinition(alert.definition),
  subscribed_users: [...alert.subscribedUsers],
  targets: alert.targets.map(({ id, type }) => ({ id, type })),
  snoozed_until: alert.snoozedUntil === null ? null : new Date(alert.snoozedUntil).toISOString(),
});

const about = (caller: Caller, project: Project, alert: Alert) =>
  ({
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    scope: ALERT_SCOPE,
    itemId: alert.id,
    name: alert.name,
  }) satisfies Partial<ActivityEntry>;
