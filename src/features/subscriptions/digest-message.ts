/** What a digest says, and what is said about one. */
import { describeRecurrence } from '../../core/schedules/describe-recurrence.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { DigestTile } from '../deliveries/rules/digest-tile.ts';
import type { Message } from '../deliveries/rules/message.ts';
import type { DigestContent } from './digest-content.ts';
import type { Subscription } from './store/subscription-store.ts';

interface DigestTold {
  subscription: Subscription;
  project: Project;
  content: Pick<DigestContent, 'name' | 'url'>;
  tiles: readonly DigestTile[];
  slot: number;
  isTest: boolean;
  now: number;
}

/** `every week on Monday` */
export const scheduleText = ({ recurrence }: Subscription, { timezone }: Project): string =>
  describeRecurrence(recurrence, timezone);

export function digestMessage({ subscription, project, content, tiles, slot, isTest, now }: DigestTold): Message {
  const { id, title, dashboardId, insightId } = subscription;
  return {
    type: isTest ? 'digest.test' : 'digest',
    timestamp: now,
    title: isTest ? `Test: ${title}` : title,
    text: `${content.name} of ${project.name}, sent ${scheduleText(subscription, project)}.`,
    facts: [],
    url: content.url,
    tiles,
    data: {
      subscription: { id, title, dashboard: dashboardId, insight: insightId },
      slot: new Date(slot).toISOString(),
      name: content.name,
      project: project.name,
      url: content.url,
      test: isTest,
    },
  };
}

/** To somebody whom another has added. */
export const invitationMessage = (
  subscription: Subscription,
  project: Project,
  invitedBy: string,
  now: number,
): Message => ({
  type: 'digest.invitation',
  timestamp: now,
  title: `You will get: ${subscription.title}`,
  text: `${invitedBy} has added you to this digest of ${project.name}, sent ${scheduleText(subscription, project)}.`,
  facts: subscription.inviteMessage === null ? [] : [{ name: 'Message', value: subscription.inviteMessage }],
  url: null,
  data: { subscription: { id: subscription.id, title: subscription.title } },
});

/** To those who can do something about it. */
export const pausedMessage = (
  subscription: Subscription,
  project: Project,
  reason: string,
  url: string | null,
  now: number,
): Message => ({
  type: 'digest.paused',
  timestamp: now,
  title: `Digest paused: ${subscription.title}`,
  text: `${reason} Nothing is sent until a member turns it on again; the numbers are then those that this member may see.`,
  facts: [{ name: 'Project', value: project.name }],
  url,
  data: { subscription: { id: subscription.id, title: subscription.title }, reason },
});
