import { expect, it } from 'vitest';
import { bodyOf, type DigestDraft, draftOf, fieldTime, newDraft, problemOf } from './digest-draft.ts';

const NOW = new Date(2026, 0, 15, 12, 30);
const draft = (rest: Partial<DigestDraft> = {}): DigestDraft => ({
  ...newDraft('Growth', 'a@example.org', NOW),
  ...rest,
});

it('begins with each Monday at eight, to whoever subscribes', () => {
  expect(draft()).toMatchObject({ start: '2026-01-16T08:00', weekdays: ['monday'], targetValue: 'a@example.org' });
  expect(bodyOf(draft())).toEqual({
    title: 'Growth',
    target_type: 'email',
    target_value: 'a@example.org',
    frequency: 'weekly',
    interval: 1,
    byweekday: ['monday'],
    bysetpos: null,
    start_date: new Date(2026, 0, 16, 8).toISOString(),
    external_recipients: false,
  });
});

it('sends days only where they count', () => {
  expect(bodyOf(draft({ frequency: 'daily' }))).toMatchObject({ byweekday: null, bysetpos: null });
  expect(bodyOf(draft({ frequency: 'monthly' }))).toMatchObject({ byweekday: null, bysetpos: null });
  expect(bodyOf(draft({ frequency: 'monthly', position: '-1' }))).toMatchObject({
    byweekday: ['monday'],
    bysetpos: -1,
  });
  expect(bodyOf(draft({ weekdays: [] }))).toMatchObject({ byweekday: null });
});

it('reads back what it has sent', () => {
  const sent = bodyOf(draft({ frequency: 'monthly', position: '2', interval: '3' }));
  const digest = { ...sent, external_recipients: false } as Parameters<typeof draftOf>[0];
  expect(bodyOf(draftOf(digest))).toEqual(sent);
  expect(fieldTime(new Date(2026, 8, 3, 4, 5))).toBe('2026-09-03T04:05');
});

it.each<[Partial<DigestDraft>, string | null]>([
  [{}, null],
  [{ targetValue: '' }, 'Add an address.'],
  [{ targetType: 'slack', targetValue: '' }, null],
  [{ targetType: 'webhook', targetValue: ' ' }, 'Add the address of the webhook.'],
  [{ start: '' }, 'Choose the first time.'],
  [{ interval: '0' }, 'Every is a number from 1.'],
])('%j: %s', (rest, problem) => {
  expect(problemOf(draft(rest))).toBe(problem);
});
