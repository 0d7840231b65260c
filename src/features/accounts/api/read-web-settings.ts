/** Checks what a schema cannot: patterns, addresses, hosts. Nothing is saved if one of them is wrong. */
import type { Static } from '@sinclair/typebox';
import { invalid } from '../../../core/errors.ts';
import { compileBounded } from '../../../core/filters/compile-search.ts';
import { explainPattern } from '../../../core/filters/explain-pattern.ts';
import type { ChannelRule, ChannelRuleItem, WebGoal, WebSettings } from '../../../core/web/web-settings.ts';
import type { Ids } from '../../../lib/ids.ts';
import { parseIpNetwork } from '../../../lib/ip-address.ts';
import type { WebSettingsWriteSchema } from './web-settings-schemas.ts';

type Sent = Static<typeof WebSettingsWriteSchema>;
type SentGoal = NonNullable<Sent['goals']>[number];
type SentRule = NonNullable<Sent['channel_rules']>[number];

const MAX_PATTERN_LENGTH = 400;
const HOST = /^(?!-)[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*(?::\d{1,5})?$/u;

export function readWebSettings(deps: { ids: Pick<Ids, 'uuid'> }, sent: Sent): Partial<WebSettings> {
  const { goals, channel_rules: rules, path_rules: paths, own_addresses: addresses } = sent;
  for (const [i, { pattern }] of (paths ?? []).entries()) checkPattern(`path_rules__${i}__pattern`, pattern);
  for (const [i, address] of (addresses ?? []).entries()) checkNetwork(`own_addresses__${i}`, address);
  const settings: Partial<Record<keyof WebSettings, unknown>> = {
    ...sent,
    goals: goals?.map((goal, i) => readGoal(deps, goal, `goals__${i}`)),
    channel_rules: rules?.map((rule, i) => readRule(rule, `channel_rules__${i}`)),
    own_domains: readHosts('own_domains', sent.own_domains),
    hidden_referrers: readHosts('hidden_referrers', sent.hidden_referrers),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function checkPattern(attr: string, pattern: string): void {
  if (compileBounded(pattern, MAX_PATTERN_LENGTH) !== null) return;
  throw invalid(`web_analytics__${attr}`, `Not a valid pattern. ${explainPattern(pattern, MAX_PATTERN_LENGTH)}`);
}

function checkNetwork(attr: string, text: string): void {
  if (parseIpNetwork(text) !== undefined) return;
  throw invalid(
    `web_analytics__${attr}`,
    `"${text}" is neither an address nor a network: write 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.`,
  );
}

function readHosts(attr: string, hosts: readonly string[] | undefined): string[] | undefined {
  return hosts?.map((host, i) => {
    if (HOST.test(host)) return host.toLowerCase();
    throw invalid(
      `web_analytics__${attr}__${i}`,
      `"${host}" is not a host: write example.com, without https:// or path.`,
    );
  });
}

function readGoal({ ids }: { ids: Pick<Ids, 'uuid'> }, { id, ...goal }: SentGoal, attr: string): WebGoal {
  if (goal.type === 'path') checkPattern(`${attr}__value`, goal.value);
  if (goal.type === 'action' && !/^\d{1,15}$/.test(goal.value)) {
    throw invalid(`web_analytics__${attr}__value`, 'The value of such a goal is the id of an action, a whole number.');
  }
  return { id: id || ids.uuid(), ...goal };
}

const readRule = ({ items, ...rule }: SentRule, attr: string): ChannelRule => ({
  ...rule,
  items: items.map((item, i) => readItem(item, `${attr}__items__${i}__value`)),
});

function readItem({ key, op, value = [] }: SentRule['items'][number], attr: string): ChannelRuleItem {
  const values = typeof value === 'string' ? [value] : value;
  if (op === 'is_set' || op === 'is_not_set') return { key, op, value: [] };
  if (values.length === 0) throw invalid(`web_analytics__${attr}`, `The operator ${op} needs a value.`, 'required');
  if (op === 'regex' || op === 'not_regex') for (const pattern of values) checkPattern(attr, pattern);
  return { key, op, value: values };
}
