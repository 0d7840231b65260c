/** The channel through which a session came: the first row of the table that holds decides. */
import { cleanHost, DIRECT, findSource } from './source-name.ts';
import type { SourceKind } from './sources.ts';

/** Of the first view of a session; texts are empty where there is none. */
export interface Acquisition {
  source: string;
  medium: string;
  campaign: string;
  /** The referring host, `$direct` for none. */
  referrer: string;
  /** The site's own host. */
  host: string;
  clickIds: ClickIds;
}

interface ClickIds {
  /** `gclid`, `gbraid` or `wbraid`. */
  google: boolean;
  /** The text of `gad_source`. */
  gadSource: string;
  /** `msclkid`. */
  microsoft: boolean;
  /** `fbclid`, which Meta adds to all links, paid or not. */
  meta: boolean;
}

const PAID_MEDIUMS = new Set(['cpc', 'cpm', 'cpv', 'cpa', 'ppc', 'retargeting']);
const SHOP_CAMPAIGN = /^(.*(([^a-df-z]|^)shop|shopping).*)$/;
const DIRECT_SOURCES = new Set(['', 'direct', '(direct)', DIRECT]);
const OWN_HOSTS = new Set(['localhost', '127.0.0.1']);

/** Channels of media that mean the same, paid or not. */
const DISPLAY = new Set(['banner', 'cpm', 'display', 'expandable', 'interstitial']);
const SOCIAL = new Set(['sm', 'social', 'social media', 'social network', 'social-media', 'social-network']);
const MEDIUM_CHANNELS: Readonly<Record<string, readonly string[]>> = {
  Affiliate: ['affiliate', 'partnership', 'partnerships'],
  Audio: ['audio'],
  Email: ['email', 'e-mail', 'e_mail', 'e mail', 'newsletter'],
  Push: ['mobile', 'notification', 'push'],
  SMS: ['sms'],
  Referral: ['app', 'link', 'referral'],
};
const CHANNEL_OF_MEDIUM: ReadonlyMap<string, string> = new Map(
  Object.entries(MEDIUM_CHANNELS).flatMap(([channel, mediums]) => mediums.map((medium) => [medium, channel] as const)),
);

const PAID_KINDS: Partial<Record<SourceKind, string>> = {
  Search: 'Paid Search',
  Social: 'Paid Social',
  Video: 'Paid Video',
  Shopping: 'Paid Shopping',
};
const ORGANIC_KINDS: Partial<Record<SourceKind, string>> = {
  Search: 'Organic Search',
  Social: 'Organic Social',
  Video: 'Organic Video',
  Shopping: 'Organic Shopping',
  Email: 'Email',
  AI: 'AI Assistant',
};

/** Lower case; the word `null` is nothing. */
const clean = (text: string): string => {
  const lower = text.trim().toLowerCase();
  return lower === 'null' ? '' : lower;
};

/** The referring host as channels see it: visits from the site itself are direct. */
export function referringHost(
  { referrer, host }: Pick<Acquisition, 'referrer' | 'host'>,
  ownDomains: readonly string[],
): string {
  const text = clean(referrer);
  if (text === '' || text === DIRECT) return text;
  const from = cleanHost(text);
  const isOwn = OWN_HOSTS.has(from) || from === cleanHost(host) || ownDomains.map(cleanHost).includes(from);
  return isOwn ? DIRECT : from;
}

const kindOf = (text: string): SourceKind | undefined => (text === '' ? undefined : findSource(text)?.kind);

export function channelOf(given: Acquisition, ownDomains: readonly string[] = []): string {
  const session = {
    source: clean(given.source),
    medium: clean(given.medium),
    campaign: clean(given.campaign),
    referrer: referringHost(given, ownDomains),
    clickIds: given.clickIds,
  };
  if (session.campaign.includes('cross-network')) return 'Cross Network';
  return isPaid(session) ? paidChannel(session) : organicChannel(session);
}

type Session = Omit<Acquisition, 'host'>;

function isPaid({ medium, clickIds: { google, gadSource, microsoft } }: Session): boolean {
  return PAID_MEDIUMS.has(medium) || medium.startsWith('paid') || google || gadSource !== '' || microsoft;
}

function paidChannel({ source, medium, campaign, referrer, clickIds }: Session): string {
  const bySource = PAID_KINDS[kindOf(source) ?? 'Referral'];
  if (bySource !== undefined) return bySource;
  if (SHOP_CAMPAIGN.test(campaign)) return 'Paid Shopping';
  if (DISPLAY.has(medium)) return 'Display';
  if (SOCIAL.has(medium)) return 'Paid Social';
  if (medium === 'video') return 'Paid Video';
  const byReferrer = PAID_KINDS[kindOf(referrer) ?? 'Referral'];
  if (byReferrer !== undefined) return byReferrer;
  if (clickIds.gadSource === '1' || clickIds.microsoft) return 'Paid Search';
  if (campaign.includes('video')) return 'Paid Video';
  return clickIds.meta ? 'Paid Social' : 'Paid Unknown';
}

function organicChannel(session: Session): string {
  const { source, medium, campaign, referrer, clickIds } = session;
  const isDirect = referrer === DIRECT;
  if (isDirect && medium === '' && DIRECT_SOURCES.has(source) && !clickIds.meta) return 'Direct';
  return (
    ORGANIC_KINDS[kindOf(source) ?? 'Referral'] ??
    (source === 'sms' ? 'SMS' : undefined) ??
    (SHOP_CAMPAIGN.test(campaign) ? 'Organic Shopping' : undefined) ??
    mediumChannel(medium) ??
    ORGANIC_KINDS[kindOf(referrer) ?? 'Referral'] ??
    lastChannel(session, isDirect)
  );
}

function mediumChannel(medium: string): string | undefined {
  if (DISPLAY.has(medium)) return 'Display';
  if (SOCIAL.has(medium)) return 'Organic Social';
  return medium === 'video' ? 'Organic Video' : CHANNEL_OF_MEDIUM.get(medium);
}

function lastChannel({ medium, campaign, referrer, clickIds }: Session, isDirect: boolean): string {
  if (campaign.includes('video')) return 'Organic Video';
  if (medium.endsWith('push')) return 'Push';
  if (clickIds.meta) return 'Organic Social';
  if (isDirect) return 'Direct';
  return referrer === '' ? 'Unknown' : 'Referral';
}

/** The source that is shown: the tag, else the referring host. */
export function sourceText({ source, ...given }: Acquisition, ownDomains: readonly string[] = []): string {
  const tag = source.trim().toLowerCase() === 'null' ? '' : source.trim();
  if (tag !== '') return tag;
  const host = referringHost(given, ownDomains);
  return host === DIRECT ? '' : host;
}
