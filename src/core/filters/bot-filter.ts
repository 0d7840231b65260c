/**
 * PostHog's names for the labels of bots (`$virt_…`), as filters on the properties that events have. Events of people have
 * none of them.
 */
import { invalid } from '../errors.ts';
import type { FilterOperator, PropertyFilter } from './property-filter.ts';

const NAMES: Readonly<Record<string, string>> = {
  $virt_is_bot: '$is_bot',
  $virt_bot_name: '$bot_name',
  $virt_traffic_category: '$bot_category',
};

const TRAFFIC_TYPE = '$virt_traffic_type';
/** Every category is of one type. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  'AI Agent': ['ai_crawler', 'ai_search', 'ai_assistant'],
  Automation: ['http_client', 'headless_browser'],
  Bot: ['search_crawler', 'seo_crawler', 'social_crawler', 'monitoring', 'other'],
};

/** The same filter on the properties that are stored; other filters stay. */
export function filterOnBotLabels(filter: PropertyFilter): PropertyFilter {
  if (filter.owner !== 'event') return filter;
  if (filter.key === TRAFFIC_TYPE) return filterOnCategories(filter);
  const key = NAMES[filter.key];
  if (key === undefined) return filter;
  return key === '$is_bot' ? filterOnIsBot({ ...filter, key }) : { ...filter, key };
}

/** The same breakdown as expressions on the properties that are stored; null where no key is a label. */
export function breakdownByBotLabels(keys: readonly string[]): string[] | null {
  if (!keys.some((key) => key === TRAFFIC_TYPE || Object.hasOwn(NAMES, key))) return null;
  return keys.map((key) => {
    if (key === TRAFFIC_TYPE) return TRAFFIC_TYPE_EXPRESSION;
    const stored = Object.hasOwn(NAMES, key) ? (NAMES[key] as string) : key;
    return key === '$virt_is_bot' ? `if(${property(stored)} = true, 'true', 'false')` : property(stored);
  });
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const property = (name: string): string => `properties[${quoted(name)}]`;

const TRAFFIC_TYPE_EXPRESSION = `multiIf(${Object.entries(TYPES)
  .map(([type, own]) => `${property('$bot_category')} in (${own.map(quoted).join(', ')}), ${quoted(type)}`)
  .join(', ')}, null)`;

const OPPOSITES: Partial<Record<FilterOperator, FilterOperator>> = { exact: 'is_not', is_not: 'exact' };

/** No bot has no label at all: `false` is everything but `true`. */
function filterOnIsBot(filter: PropertyFilter): PropertyFilter {
  const opposite = OPPOSITES[filter.operator];
  const isFalse = filter.values.length === 1 && filter.values[0]?.toLowerCase() === 'false';
  return isFalse && opposite !== undefined ? { ...filter, operator: opposite, values: ['true'] } : filter;
}

function filterOnCategories({ operator, values, ...rest }: PropertyFilter): PropertyFilter {
  const key = '$bot_category';
  if (operator === 'is_set' || operator === 'is_not_set') return { ...rest, key, operator, values };
  const isPart = operator === 'icontains' || operator === 'not_icontains';
  if (!isPart && OPPOSITES[operator] === undefined) {
    throw invalid('properties', `${TRAFFIC_TYPE} can be filtered with exact, is_not, icontains, is_set and the like.`);
  }
  const fits = (type: string): boolean =>
    values.some((value) => (isPart ? type.toLowerCase().includes(value.toLowerCase()) : type === value));
  const categories = Object.entries(TYPES).flatMap(([type, own]) => (fits(type) ? own : []));
  const isPositive = operator === 'exact' || operator === 'icontains';
  return { ...rest, key, operator: isPositive ? 'exact' : 'is_not', values: categories };
}
