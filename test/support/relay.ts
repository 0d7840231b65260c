/** A relay in this process, on a clock that stands still, that follows a test server or another relay. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, defaultConfig } from '../../src/config.ts';
import { freezeClock, makeClockMemory } from '../../src/lib/clock.ts';
import { openLog } from '../../src/lib/log.ts';
import { openRelay } from '../../src/runtime/relay/relay-app.ts';
import { START } from './server.ts';

export interface TestRelay {
  url: string;
  dataDir: string;
  setNow(iso: string): void;
  flushUsage(): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the status freely, and assert what they find
  status(): Promise<any>;
  /** The folder stays unless `remove` is called. */
  close(): Promise<void>;
  remove(): void;
}

export async function startRelay(
  upstreamUrl: string,
  upstreamKey: string,
  options: { dataDir?: string; now?: string; config?: Partial<Config> } = {},
): Promise<TestRelay> {
  const clockMemory = makeClockMemory();
  const setNow = (iso: string): void => freezeClock(clockMemory, Date.parse(iso));
  setNow(options.now ?? START);
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'cairn-relay-'));
  const own: Partial<Config> = { role: 'relay', port: 0, dataDir, upstreamUrl, upstreamKey };
  const config = { ...defaultConfig(), ...own, ...options.config };
  const app = await openRelay({ config, log: openLog('silent'), clockMemory });
  const url = await app.listen();
  return {
    url,
    dataDir,
    setNow,
    flushUsage: () => app.flushUsage(),
    status: async () => (await fetch(new URL('/_status', url))).json(),
    close: () => app.close(),
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}
