import { describe, expect, it } from 'vitest';
import { clickedElements, describeStep, eventQueryOf, newStep, stepOfElement } from './steps.ts';

const element = (fields: object) => ({
  event: null,
  text: null,
  tag_name: 'button',
  attr_class: null,
  href: null,
  attr_id: null,
  nth_child: null,
  nth_of_type: null,
  attributes: {},
  order: 0,
  ...fields,
});

describe('the steps of an action', () => {
  it('are described in a sentence', () => {
    expect(describeStep({ ...newStep(), event: null })).toBe('Any event');
    expect(describeStep({ ...newStep(), event: '$autocapture', text: 'Buy', url: '/shop', tag_name: 'button' })).toBe(
      'Autocapture with text Buy and tag button on a URL that contains /shop',
    );
    const filter = { type: 'event', key: 'plan', operator: 'exact', value: ['pro'] };
    expect(describeStep({ ...newStep(), event: 'paid', properties: [filter] })).toBe('paid where plan equals pro');
  });

  it('become filters of the list of events, for a preview', () => {
    const step = { ...newStep(), event: '$autocapture', text: ' Buy ', url: '^/a', url_matching: 'regex' };
    expect(eventQueryOf(step)).toEqual({
      event: '$autocapture',
      properties: JSON.stringify([
        { type: 'event', key: '$current_url', operator: 'regex', value: '^/a' },
        { type: 'element', key: 'text', operator: 'exact', value: ['Buy'] },
      ]),
    });
    // Only autocaptured events have elements.
    expect(eventQueryOf({ ...newStep(), event: 'paid', text: 'Buy' })).toEqual({ event: 'paid', properties: '[]' });
  });

  it('are made of recent clicks, the most frequent first', () => {
    const click = (fields: object) => ({
      elements: [element(fields)],
      properties: { $current_url: 'https://x.test/' },
    });
    const found = clickedElements([
      click({ text: 'Once' }),
      click({ text: 'Buy' }),
      click({ text: 'Buy' }),
      { elements: [], properties: {} },
    ]);
    expect(found.map(({ text, count }) => [text, count])).toEqual([
      ['Buy', 2],
      ['Once', 1],
    ]);
    const [buy, once] = found.map(stepOfElement);
    expect([buy?.text, buy?.tag_name, once?.text]).toEqual(['Buy', 'button', 'Once']);
    const unnamed = clickedElements([click({ attr_id: 'menu', href: '/m' }), click({ attr_id: '7:x', href: '/m' })]);
    expect(unnamed.map(stepOfElement).map(({ selector, href }) => [selector, href])).toEqual([
      ['#menu', null],
      [null, '/m'],
    ]);
  });
});
