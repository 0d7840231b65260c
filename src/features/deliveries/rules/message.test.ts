import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deliveryKey, messageId, shortTarget, targetHash } from './delivery-target.ts';
import { type Message, mailText, signatureHeaders, slackBody, webhookBody } from './message.ts';
import { retryDelay } from './retry-delay.ts';

const message = (rest: Partial<Message> = {}): Message => ({
  type: 'alert.firing',
  timestamp: Date.UTC(2026, 0, 15),
  title: 'Firing: x',
  text: 'The value is 3.',
  facts: [{ name: 'Value', value: '3' }],
  url: null,
  data: { value: 3 },
  ...rest,
});

describe('names in messages', () => {
  const ugly = '<!channel> @here *bold* & <http://evil.example|click>\r\nBcc: eve@example.org';

  it('become no mentions, links or lines in Slack', () => {
    const { text } = JSON.parse(slackBody(message({ title: ugly })));
    expect(text.split('\n')[0]).toBe(
      '*&lt;!channel&gt; @\u200bhere \u200b*bold\u200b* &amp; &lt;http://evil.example|click&gt; Bcc: eve@example.org*',
    );
  });

  it('become no links or pictures in Mattermost and Discord', () => {
    const { text } = JSON.parse(
      slackBody(message({ text: 'see [this](http://evil.example) ![](http://evil.example)' })),
    );
    expect(text.split('\n')[1]).toBe('see [this]\u200b(http://evil.example) ![]\u200b(http://evil.example)');
  });

  it('become no headers or HTML in a mail', () => {
    const { subject, html } = mailText(message({ title: ugly, text: '<script>alert(1)</script>' }));
    expect(subject).not.toMatch(/[\r\n]/);
    expect(html).not.toMatch(/<script|<http|<!channel/);
  });

  it('stay as they are for programs', () => {
    expect(JSON.parse(webhookBody(message({ data: { name: ugly } })))).toEqual({
      type: 'alert.firing',
      timestamp: '2026-01-15T00:00:00.000Z',
      data: { name: ugly },
    });
  });
});

it('is signed with every valid secret, over id, time and body', () => {
  const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_AAAA'];
  const headers = signatureHeaders('msg_1', '{}', secrets, 1_614_265_330_500);
  const sign = (key: string) =>
    createHmac('sha256', Buffer.from(key, 'base64')).update('msg_1.1614265330.{}').digest('base64');
  expect(headers).toEqual({
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1614265330',
    'webhook-signature': `v1,${sign('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')} v1,${sign('AAAA')}`,
  });
});

it('has the signature of the example that Standard Webhooks has published', () => {
  const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
  const headers = signatureHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}', secrets, 1_614_265_330_000);
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

describe('a key', () => {
  const hash = targetHash({ type: 'webhook', url: 'https://example.org/x', secrets: ['a'] });

  it('is the same for one slot and target, whatever the secrets are, and another for all else', () => {
    expect(targetHash({ type: 'webhook', url: 'https://example.org/x', secrets: ['b'] })).toBe(hash);
    const keys = [
      deliveryKey('alert', 'a', 1, hash),
      deliveryKey('alert', 'a', 2, hash),
      deliveryKey('alert', 'b', 1, hash),
      deliveryKey('test', 'a', 1, hash),
      deliveryKey('alert', 'a', 1, targetHash({ type: 'slack_webhook', url: 'https://example.org/x' })),
    ];
    expect(new Set(keys).size).toBe(5);
    expect(messageId(keys[0] ?? '')).toMatch(/^msg_[0-9a-f]{32}$/);
  });

  it('is tried again nine times within about a day, spread by a fifth', () => {
    const minutes = [0.5, 1, 2, 10, 30, 120, 240, 420, 600];
    const delays = minutes.map((_, at) => retryDelay(`key ${at}`, at + 1, 0) ?? 0);
    for (const [at, delay] of delays.entries()) {
      const middle = (minutes[at] ?? 0) * 60_000;
      expect([delay >= 0.8 * middle, delay <= 1.2 * middle]).toEqual([true, true]);
    }
    expect(minutes.reduce((sum, one) => sum + one, 0) / 60).toBeCloseTo(23.7, 1);
    expect(retryDelay('key', 10, 0)).toBeNull();
    expect(retryDelay('key', 1, 600_000)).toBe(600_000);
    expect(retryDelay('a', 1, 0)).not.toBe(retryDelay('b', 1, 0));
  });
});

it('addresses are shown shortened', () => {
  expect(shortTarget({ type: 'email', userId: 1, address: 'ada@example.org' })).toBe('a…@example.org');
  expect(shortTarget({ type: 'slack_webhook', url: 'https://hooks.example.org/services/T0' })).toBe(
    'https://hooks.example.org/…',
  );
});
