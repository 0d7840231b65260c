import { detectBrowser, detectBrowserVersion, detectDeviceType, detectOS } from '@posthog/core';
import { describe, expect, it } from 'vitest';
import { describeVectors } from '../../../test/support/vectors.ts';
import { readUserAgent } from './read-user-agent.ts';

interface Vectors {
  cases: { id: string; kind: string; user_agent: string; expect: Record<string, unknown> }[];
}

const SAFARI = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4';

const AGENTS = [
  `${SAFARI} Safari/605.1.15`,
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36 OPR/110.0.0.0',
  'Mozilla/5.0 (PlayStation; PlayStation 5/2.26) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15',
  'Mozilla/5.0 (Nintendo Switch; WebApplet) AppleWebKit/609.4 (KHTML, like Gecko) NF/6.0.2.21.3 NintendoBrowser/5.1.0.22474',
  'Mozilla/5.0 (BB10; Kbd) AppleWebKit/537.35+ (KHTML, like Gecko) Version/10.3.3.2205 Mobile Safari/537.35+',
  'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 8.1.0; SM-T580) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0.4844.88 Safari/537.36',
  'Mozilla/5.0 (Windows NT 6.3; Trident/7.0; rv:11.0) like Gecko',
  'Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 5.1; Trident/4.0)',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0 Safari/537.36 Vivaldi/6.6',
  'Mozilla/5.0 (Linux; Android 12.0; Quest 3) AppleWebKit/537.36 (KHTML, like Gecko) OculusBrowser/32.0 Chrome/122.0 VR Safari/537.36',
  'Mozilla/5.0 (Linux; U; Android 9.0; KFMAWI Build/PS7328) AppleWebKit/537.36 (KHTML, like Gecko) Silk/108.4.6 like Chrome/108.0 Safari/537.36',
  'Mozilla/5.0 (X11; Linux) KHTML/4.9.1 (like Gecko) Konqueror/4.9',
  'no user agent at all',
];

/** A text that posthog-js gives for 'unknown'. */
const orUndefined = (value: unknown): unknown => (value === '' || value === null ? undefined : value);

describe('a user agent', () => {
  it.each(AGENTS)('is read as posthog-js reads it: %s', (agent) => {
    const [os, version] = detectOS(agent);
    const { device } = readUserAgent(agent) ?? {};
    expect({
      $browser: undefined,
      $browser_version: undefined,
      $os: undefined,
      $os_version: undefined,
      ...device,
    }).toEqual({
      $browser: orUndefined(detectBrowser(agent, '')),
      $browser_version: orUndefined(detectBrowserVersion(agent, '')),
      $os: orUndefined(os),
      $os_version: orUndefined(version),
      $device_type: detectDeviceType(agent),
    });
  });

  it.each([
    [
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/125.0.0.0 Mobile Safari/537.36 EdgA/125.0.0.0',
      'Microsoft Edge',
      '14',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) EdgiOS/125.0.2535.60 Mobile/15E148 Safari/605.1.15',
      'Microsoft Edge',
      '17.5.0',
    ],
  ])('is read better than posthog-js does: %s', (agent, browser, version) => {
    expect(readUserAgent(agent)?.device).toMatchObject({ $browser: browser, $os_version: version });
  });

  it.each([
    'Mozilla/5.0 (Linux; Android 9; CUBOT X18) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36',
    `${SAFARI} Safari/605.1.15 [Pinterest/iOS]`,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 WhatsApp/2.24',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.38 Chrome/126.0 Electron/31.0 Safari/537.36',
  ])('of a person is no bot: %s', (agent) => {
    expect(readUserAgent(agent)?.bot).toBeUndefined();
  });

  it('is nothing where it is empty', () => expect(readUserAgent('')).toBeUndefined());

  it('is cut before it is read, and many different ones are read with bounded memory', () => {
    const long = `Mozilla/5.0 (X11; Linux x86_64) ${'x'.repeat(1_000_000)} Googlebot`;
    expect(readUserAgent(long)?.bot).toBeUndefined();
    for (let i = 0; i < 10_000; i++) readUserAgent(`Agent/${i}`);
    expect(readUserAgent('Agent/1')?.device).toEqual({ $device_type: 'Desktop' });
  });
});

describeVectors<Vectors>('recorded user agents', 'web-analytics.json', ({ cases }) => {
  const agents = cases.filter(({ kind }) => kind === 'user_agent');
  it.each(agents.map((one) => [one.id, one] as const))('%s', (_, { user_agent: agent, expect: expected }) => {
    const { bot: isBot, bot_name: name, bot_category: category, ...device } = expected;
    const read = readUserAgent(agent);
    expect(read?.bot !== undefined).toBe(isBot);
    if (isBot) expect([read?.bot?.$bot_name ?? null, read?.bot?.$bot_category]).toEqual([name, category]);
    const found: Record<string, unknown> = { ...read?.device };
    for (const [key, value] of Object.entries(device)) expect([key, found[key] ?? null]).toEqual([key, value]);
  });
});
