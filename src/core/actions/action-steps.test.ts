import { describe, expect, it } from 'vitest';
import type { Json } from '../json/json.ts';
import { readSteps } from './action-steps.ts';

const clicked = (key: string, value: string) => ({
  kind: 'property',
  owner: 'element',
  key,
  operator: 'exact',
  values: [value],
});

describe('the steps of an action', () => {
  it('have the conditions that are given, and no others', () => {
    expect(readSteps([{}, { event: 'paid', url: '/x', url_matching: 'exact', tag_name: '', text: null }])).toEqual([
      { event: null, url: null, urlMatching: 'contains', filter: { kind: 'and', filters: [] } },
      { event: 'paid', url: '/x', urlMatching: 'exact', filter: { kind: 'and', filters: [] } },
    ]);
  });

  it('match elements of autocaptured events only', () => {
    const step = { tag_name: 'a', text: 'Buy', href: '/x', selector: '.btn > a', properties: [{ key: 'k', value: 1 }] };
    const own = {
      kind: 'and',
      filters: [{ kind: 'property', owner: 'event', key: 'k', operator: 'exact', values: ['1'] }],
    };
    const [of, other] = readSteps([
      { event: '$autocapture', ...step },
      { event: 'paid', ...step },
    ]);
    expect(of?.filter).toEqual({
      kind: 'and',
      filters: [
        own,
        clicked('tag_name', 'a'),
        clicked('text', 'Buy'),
        clicked('href', '/x'),
        clicked('selector', '.btn > a'),
      ],
    });
    expect(other?.filter).toEqual(own);
  });

  it.each<[Json[], string]>([
    [['paid'], 'steps__0'],
    [[{}, { event: 5 }], 'steps__1__event'],
    [[{ url: 'x'.repeat(2001) }], 'steps__0__url'],
    [[{ url: '/', url_matching: 'like' }], 'steps__0__url_matching'],
    [[{ properties: 5 }], 'steps__0__properties'],
    [[{ properties: [{ key: 'a', value: 1, type: 'hogql' }] }], 'steps__0__properties'],
    [[{ event: '$autocapture', selector: 'a:hover' }], 'steps__0__selector'],
    [Array.from({ length: 51 }, () => ({})), 'steps'],
  ])('are rejected: %j', (steps, attr) => {
    let blamed: unknown;
    try {
      readSteps(steps);
    } catch (error) {
      blamed = (error as { attr?: string }).attr;
    }
    expect(blamed).toBe(attr);
  });
});
