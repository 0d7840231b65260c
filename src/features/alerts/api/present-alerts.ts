/** Alerts as the API returns them. */
import { type Caller, isAdmin } from '../../../access/callers.ts';
import { slotName } from '../../../core/alerts/slots.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { iso, isoOrNull, originOnly, presentUserOrNull, presentUserSummary } from '../../../http/schemas/common.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { targetHash } from '../../deliveries/rules/delivery-target.ts';
import { webhookOf } from '../alert-targets.ts';
import { presentDefinition } from '../rules/present-definition.ts';
import type { Alert, AlertCheck, AlertTarget } from '../store/alert-store.ts';

interface Presented {
  caller: Caller;
  project: Project;
  now: number;
  /** Of targets that are new. */
  secrets?: ReadonlyMap<string, string>;
}

const SHOWN_CHECKS = 5;

export async function presentAlerts(store: MetadataStore, alerts: readonly Alert[], shown: Presented) {
  const users = await usersById(
    store,
    alerts.flatMap(({ createdBy, subscribedUsers }) => [createdBy, ...subscribedUsers]),
  );
  const insightIds = [...new Set(alerts.flatMap(({ insightId }) => insightId ?? []))];
  const insights = new Map((await store.insights.listByIds(shown.project.id, insightIds)).map((one) => [one.id, one]));
  return Promise.all(
    alerts.map(async (alert) => {
      const insight = alert.insightId === null ? undefined : insights.get(alert.insightId);
      const { items } = await store.alerts.listChecks(alert.id, { limit: SHOWN_CHECKS, offset: 0 });
      return {
        id: alert.id,
        name: alert.name,
        insight: insight
          ? { id: insight.id, short_id: insight.shortId, name: insight.name, derived_name: insight.derivedName }
          : null,
        enabled: alert.enabled,
        subscribed_users: alert.subscribedUsers.flatMap((id) => {
          const user = users.get(id);
          return user ? [presentUserSummary(user)] : [];
        }),
        targets: await Promise.all(alert.targets.map((target) => presentTarget(store, target, shown))),
        ...presentDefinition(alert.definition),
        snoozed_until: isoOrNull(alert.snoozedUntil),
        state: shownState(alert, shown.now),
        last_notified_at: isoOrNull(alert.lastNotifiedAt),
        last_checked_at: isoOrNull(alert.lastCheckedAt),
        next_check_at: alert.enabled ? iso(alert.nextCheckAt) : null,
        last_value: alert.progress.lastValue,
        checks: items.map(presentCheck),
        created_by: presentUserOrNull(users, alert.createdBy),
        created_at: iso(alert.createdAt),
      };
    }),
  );
}

const shownState = ({ state, snoozedUntil }: Alert, now: number): string =>
  snoozedUntil !== null && snoozedUntil > now ? 'Snoozed' : state;

async function presentTarget(store: MetadataStore, target: AlertTarget, { caller, project, now, secrets }: Presented) {
  const { id, type, url } = target;
  const [delivered] = webhookOf(project, target, now);
  const paused = delivered ? await store.deliveries.pausedReason(project.id, targetHash(delivered)) : null;
  const secret = secrets?.get(id);
  const isFull = isAdmin(caller, project.organizationId);
  return { id, type, url: isFull ? url : originOnly(url), paused, ...(secret === undefined ? {} : { secret }) };
}

export const presentCheck = ({ id, createdAt, slot, details }: AlertCheck) => ({
  id,
  created_at: iso(createdAt),
  slot: slotName(slot),
  calculated_value: details.value,
  breakdown_value: details.label,
  bounds: details.bounds,
  state: details.state,
  reason: details.reason,
  late: details.late,
  missed: details.missed,
  targets_notified: details.targets,
});
