/** The channel of a session in the plainest way: a list of rows, of which the first that holds decides. */

/** What the first view of a session says; texts are empty where it says nothing. */
export interface ChannelVisit {
  source: string;
  medium: string;
  campaign: string;
  referrer: string;
  clickIds: Readonly<Partial<Record<'gclid' | 'gad_source' | 'gbraid' | 'wbraid' | 'msclkid' | 'fbclid', string>>>;
}

type Kind = 'Search' | 'Social' | 'Video' | 'Shopping' | 'Email' | 'AI';

/** Sources as they are sent, with their kind; null: known to nobody, or without a kind. */
export const CHANNEL_SOURCES: Readonly<Record<string, Kind | null>> = {
  ...{ google: 'Search', FB: 'Social', yt: 'Video', Amazon: 'Shopping', gmail: 'Email', chatgpt: 'AI' },
  ...{ 'www.google.de': 'Search', sms: null, direct: null, '(direct)': null, 'Spring Letter': null, NULL: null },
};

/** Referring hosts, likewise; `$direct` is none, and a visit from the site itself is one from nowhere. */
export const CHANNEL_REFERRERS: Readonly<Record<string, Kind | null>> = {
  ...{ 'www.google.com': 'Search', 'google.co.uk': 'Search', 'docs.google.com': 'Search', 'duckduckgo.com.': 'Search' },
  ...{ 'WWW.Bing.com:443': 'Search', 'm.facebook.com': 'Social', 'youtu.be': 'Video', 'amazon.com.br': 'Shopping' },
  ...{ 'mail.google.com': 'Email', 'chat.openai.com': 'AI', 'google.example.org': null, 'blog.example.org': null },
};
export const OWN_REFERRERS = ['$direct', 'www.example.com:8080', 'example.com', 'localhost:3000', '127.0.0.1'];

export const CHANNEL_MEDIUMS = [
  ...['cpc', 'CPM', 'retargeting', 'paid', 'paidsocial', 'banner', 'display', 'social', 'social-network', 'video'],
  ...['affiliate', 'audio', 'E-Mail', 'newsletter', 'push', 'webpush', 'sms', 'link', 'referral', 'null', 'other'],
];
export const CHANNEL_CAMPAIGNS = [
  'x cross-network y',
  'shopping',
  'my shop',
  'workshop',
  'shopper',
  'Video 1',
  'spring',
];

const said = (text: string): string => (text.toLowerCase() === 'null' ? '' : text.toLowerCase());

const isPaid = ({ medium, clickIds }: ChannelVisit): boolean =>
  /^(cpc|cpm|cpv|cpa|ppc|retargeting|paid.*)$/.test(medium) ||
  [clickIds.gclid, clickIds.gad_source, clickIds.gbraid, clickIds.wbraid, clickIds.msclkid].some(Boolean);

/** `shop` at the beginning, or after anything but a letter other than e; or `shopping`. */
const isShop = ({ campaign }: ChannelVisit): boolean => /(^|[^a-df-z])shop/.test(campaign) || /shopping/.test(campaign);

const isDisplay = ({ medium }: ChannelVisit): boolean => /^(banner|cpm|display|expandable|interstitial)$/.test(medium);

const isSocial = ({ medium }: ChannelVisit): boolean => /^(sm|social|social[ -](media|network))$/.test(medium);

const OF_MEDIUM: readonly [RegExp, string][] = [
  [/^(affiliate|partnerships?)$/, 'Affiliate'],
  [/^audio$/, 'Audio'],
  [/^(email|e-mail|e_mail|e mail|newsletter)$/, 'Email'],
  [/^(mobile|notification|push)$/, 'Push'],
  [/^sms$/, 'SMS'],
  [/^(app|link|referral)$/, 'Referral'],
];

const PAID: Partial<Record<Kind, string>> = {
  ...{ Search: 'Paid Search', Social: 'Paid Social', Video: 'Paid Video', Shopping: 'Paid Shopping' },
};
const ORGANIC: Record<Kind, string> = {
  ...{ Search: 'Organic Search', Social: 'Organic Social', Video: 'Organic Video', Shopping: 'Organic Shopping' },
  ...{ Email: 'Email', AI: 'AI Assistant' },
};

export function plainChannel(sent: ChannelVisit): string {
  const isOwn = OWN_REFERRERS.includes(sent.referrer);
  const visit = {
    source: said(sent.source),
    medium: said(sent.medium),
    campaign: said(sent.campaign),
    referrer: isOwn ? '$direct' : sent.referrer,
    clickIds: sent.clickIds,
  };
  const ofSource = CHANNEL_SOURCES[sent.source] ?? null;
  const ofReferrer = isOwn ? null : (CHANNEL_REFERRERS[sent.referrer] ?? null);
  const isDirect = visit.referrer === '$direct';
  const isFromNowhere = isDirect && visit.medium === '' && ['', 'direct', '(direct)'].includes(visit.source);
  const hasMeta = Boolean(visit.clickIds.fbclid);
  const paid: (string | false | undefined | null)[] = [
    ofSource && PAID[ofSource],
    isShop(visit) && 'Paid Shopping',
    isDisplay(visit) && 'Display',
    isSocial(visit) && 'Paid Social',
    visit.medium === 'video' && 'Paid Video',
    ofReferrer && PAID[ofReferrer],
    (visit.clickIds.gad_source === '1' || Boolean(visit.clickIds.msclkid)) && 'Paid Search',
    visit.campaign.includes('video') && 'Paid Video',
    hasMeta && 'Paid Social',
    'Paid Unknown',
  ];
  const organic: typeof paid = [
    isFromNowhere && !hasMeta && 'Direct',
    ofSource && ORGANIC[ofSource],
    visit.source === 'sms' && 'SMS',
    isShop(visit) && 'Organic Shopping',
    isDisplay(visit) && 'Display',
    isSocial(visit) && 'Organic Social',
    visit.medium === 'video' && 'Organic Video',
    OF_MEDIUM.find(([medium]) => medium.test(visit.medium))?.[1],
    ofReferrer && ORGANIC[ofReferrer],
    visit.campaign.includes('video') && 'Organic Video',
    visit.medium.endsWith('push') && 'Push',
    hasMeta && 'Organic Social',
    isDirect && 'Direct',
    visit.referrer !== '' && 'Referral',
    'Unknown',
  ];
  if (visit.campaign.includes('cross-network')) return 'Cross Network';
  return (isPaid(visit) ? paid : organic).find(Boolean) || 'Unknown';
}
