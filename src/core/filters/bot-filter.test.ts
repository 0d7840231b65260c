import { describe, expect, it } from 'vitest';
import { readText } from '../expressions/check-expression.ts';
import { breakdownByBotLabels } from './bot-filter.ts';
import { readFilters } from './parse-filters.ts';
import type { PropertyFilter } from './property-filter.ts';

const read = (key: string, value: unknown, operator = 'exact', type = 'event'): Partial<PropertyFilter> => {
  const filter = readFilters([{ key, value, operator, type } as never]);
  return 'filters' in filter ? (filter.filters[0] as PropertyFilter) : {};
};

describe('a filter on the labels of bots, under the names of PostHog', () => {
  it.each([
    ['$virt_bot_name', 'GPTBot', 'exact', { key: '$bot_name', operator: 'exact', values: ['GPTBot'] }],
    ['$virt_traffic_category', 'ai', 'icontains', { key: '$bot_category', operator: 'icontains', values: ['ai'] }],
    ['$virt_is_bot', true, 'exact', { key: '$is_bot', operator: 'exact', values: ['true'] }],
    ['$virt_is_bot', 'false', 'exact', { key: '$is_bot', operator: 'is_not', values: ['true'] }],
    ['$virt_is_bot', ['false'], 'is_not', { key: '$is_bot', operator: 'exact', values: ['true'] }],
    [
      '$virt_traffic_type',
      'AI Agent',
      'exact',
      { key: '$bot_category', operator: 'exact', values: ['ai_crawler', 'ai_search', 'ai_assistant'] },
    ],
    [
      '$virt_traffic_type',
      ['Automation'],
      'is_not',
      { key: '$bot_category', operator: 'is_not', values: ['http_client', 'headless_browser'] },
    ],
    ['$virt_traffic_type', 'nothing', 'icontains', { key: '$bot_category', operator: 'exact', values: [] }],
    ['$virt_traffic_type', '', 'is_set', { key: '$bot_category', operator: 'is_set', values: [] }],
  ])('%s %j %s', (key, value, operator, expected) => {
    expect(read(key, value, operator)).toMatchObject(expected);
  });

  it('stays as it is for persons, and is refused where it cannot be said', () => {
    expect(read('$virt_bot_name', 'x', 'exact', 'person')).toMatchObject({ key: '$virt_bot_name' });
    expect(() => read('$virt_traffic_type', 'A.*', 'regex')).toThrow(/can be filtered with/);
  });
});

describe('a breakdown by the labels of bots', () => {
  it('is one by the properties that are stored', () => {
    expect(breakdownByBotLabels(['$browser'])).toBeNull();
    expect(breakdownByBotLabels(['$virt_bot_name', "it's"])).toEqual([
      "properties['$bot_name']",
      "properties['it\\'s']",
    ]);
    expect(breakdownByBotLabels(['$virt_is_bot'])).toEqual(["if(properties['$is_bot'] = true, 'true', 'false')"]);
    const [type = ''] = breakdownByBotLabels(['$virt_traffic_type']) ?? [];
    expect(type).toContain("properties['$bot_category'] in ('http_client', 'headless_browser'), 'Automation'");
    expect(() => readText(type, 'events')).not.toThrow();
  });
});
