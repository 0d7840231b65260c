import { describe, expect, it } from 'vitest';
import type { Destination } from '../../api/destinations.ts';
import { bodyOf, type DestinationDraft, draftOf, missingIn, newDraft } from './destination-draft.ts';
import { describeEventFilters, NO_EVENT_FILTERS, readEventFilters, writeEventFilters } from './event-filters.ts';

const URL = 'https://hooks.example.org/orders';
const draft = (changes: Partial<DestinationDraft>): DestinationDraft => ({ ...newDraft(), url: URL, ...changes });

describe('the draft of a webhook', () => {
  it('says what is missing', () => {
    const cases: [Partial<DestinationDraft>, string | null][] = [
      [{}, null],
      [{ url: '' }, 'Enter the address of the webhook.'],
      [{ url: 'javascript:alert(1)' }, 'Enter the address of the webhook.'],
      [{ headers: [{ name: ' ', value: 'x' }] }, 'A header has no name.'],
      [{ headers: [{ name: '', value: '' }] }, null],
      [{ headers: ['Key', 'key'].map((name) => ({ name, value: 'x' })) }, 'Two headers have the same name.'],
      [{ body: '{"a": }' }, 'The body is not JSON: check its commas and quotes.'],
      [{ body: '{event.event} happened' }, null],
      [{ isMasked: true, maskHash: '' }, 'Say which events are alike.'],
      [{ isMasked: true, maskMinutes: '0' }, 'The time of events that are alike is a number of minutes.'],
    ];
    for (const [changes, expected] of cases) expect(missingIn(draft(changes))).toBe(expected);
  });

  it('sends a body as JSON, or as the text that it is', () => {
    const bodies: [string, unknown][] = [
      ['', null],
      ['{"a": "{event.event}"}', { a: '{event.event}' }],
      ['["{person.id}"]', ['{person.id}']],
      ['{event.properties}', '{event.properties}'],
      ['Hello {person.id}', 'Hello {person.id}'],
    ];
    for (const [body, value] of bodies) expect(bodyOf(draft({ body })).inputs).toMatchObject({ body: { value } });
  });

  it('keeps everything that is stored', () => {
    const stored = {
      name: 'Orders',
      description: 'of the shop',
      inputs: {
        url: { value: URL },
        method: { value: 'PUT' },
        headers: { value: { Authorization: '******' } },
        body: { value: { a: 1 } },
        batch: { value: true },
      },
      filters: {
        events: [{ id: 'order placed', name: 'order placed', type: 'events', properties: [] }],
        actions: [{ id: 3, name: 'Bought', type: 'actions', properties: [] }],
        properties: [{ key: 'x', type: 'unheard', value: 1 }],
        filter_test_accounts: true,
      },
      masking: { hash: '{person.id}', ttl: 3600, threshold: 10 },
    };
    const { template_id, ...body } = bodyOf(draftOf(stored as unknown as Destination));
    expect(template_id).toBe('template-webhook');
    expect(body).toEqual(stored);
  });
});

it('events are read, written and described', () => {
  expect(describeEventFilters(NO_EVENT_FILTERS)).toBe('All events');
  expect(writeEventFilters(NO_EVENT_FILTERS)).toEqual({
    events: [],
    actions: [],
    properties: [],
    filter_test_accounts: false,
  });
  const read = readEventFilters({
    events: [{ id: '$pageview' }, { id: null }],
    actions: [{ id: 3 }],
    properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }],
    filter_test_accounts: true,
  });
  expect(describeEventFilters(read)).toBe(
    'Pageview, All events, Action 3 where plan equals pro, without internal and test users',
  );
  // A line that was added and not filled in.
  expect(writeEventFilters({ ...read, events: [{ event: '', action: null, filters: [] }] })).toMatchObject({
    events: [],
    actions: [],
  });
});
