import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type WebhookFact, webhookMessage } from './webhook-message.ts';

const news = (over: Partial<WebhookFact> = {}): WebhookFact => ({
  event: 'signed up',
  count: 1,
  person: { name: 'ada', url: null },
  happenedAt: null,
  ...over,
});

describe('the message to a webhook', () => {
  it.each<[string, WebhookFact[], string]>([
    ['one event', [news()], '[Shop] *signed up* by ada'],
    ['one of nobody', [news({ person: null })], '[Shop] *signed up*'],
    ['many', [news({ count: 37 })], '[Shop] 37 × *signed up*, the last by ada'],
    ['many of nobody', [news({ count: 37, person: null })], '[Shop] 37 × *signed up*'],
    ['a link', [news({ person: { name: 'ada', url: 'https://x.y/1' } })], '[Shop] *signed up* by <https://x.y/1|ada>'],
    [
      'old news',
      [news({ happenedAt: Date.UTC(2026, 0, 15, 10, 32) })],
      '[Shop] *signed up* by ada, 2026-01-15 10:32 UTC',
    ],
    [
      'two names',
      [news(), news({ event: 'paid', count: 2 })],
      '[Shop]\n*signed up* by ada\n2 × *paid*, the last by ada',
    ],
    ['a long name', [news({ event: 'é'.repeat(101), person: null })], `[Shop] *${'é'.repeat(100)}…*`],
  ])('tells of %s', (_name, list, text) => {
    expect(webhookMessage('Shop', list)).toBe(text);
  });

  it.each([
    ['<!channel>', '&lt;!channel&gt;'],
    ['<https://evil.example|ada>', '&lt;https://evil.example|ada&gt;'],
    ['a & b', 'a &amp; b'],
    ['@here and @all', '@\u200bhere and @\u200ball'],
    ['ada@example.org', 'ada@example.org'],
    ['two\nlines\u2028or\tmore\u202e', 'two lines or more'],
  ])('shows a person called %j harmlessly', (name, shown) => {
    expect(webhookMessage('Shop', [news({ person: { name, url: null } })])).toBe(`[Shop] *signed up* by ${shown}`);
  });

  it('never lets a name become a link or start a line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (event, name) => {
        const text = webhookMessage('Shop', [news({ event, person: { name, url: 'https://x.y/' } })]);
        expect(text.match(/[<>]/g)).toEqual(['<', '>']);
        expect(text).not.toMatch(/[\n\r\u2028\u2029]/);
      }),
    );
  });
});
