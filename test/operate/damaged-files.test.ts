/** Each file of the data folder damaged or unreadable: the start names it, what it holds, and what to do. */
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startServerProcess } from '../support/server-process.ts';

let sound: string;
let dataDir: string;
beforeAll(async () => {
  sound = mkdtempSync(join(tmpdir(), 'cairn-sound-'));
  const server = await startServerProcess(sound);
  const events = Array.from({ length: 500 }, (_, n) => ({ event: 'step', distinct_id: `walker-${n}` }));
  expect(await server.send(events)).toBe(200);
  await server.drain();
  expect(await server.stop()).toBe(0);
});
afterAll(() => rmSync(sound, { recursive: true, force: true }));
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-damaged-'));
  cpSync(sound, dataDir, { recursive: true, filter: (path) => !path.includes('control') });
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** The name of a segment depends on what was processed before the server stopped. */
const SEGMENT = 'ingest-log/*.log';

function file(name: string): string {
  if (name !== SEGMENT) return join(dataDir, name);
  const folder = join(dataDir, 'ingest-log');
  return join(folder, readdirSync(folder).findLast((entry) => entry.endsWith('.log')) ?? 'none');
}

function overwrite(name: string, from: number, bytes: number): void {
  const handle = openSync(file(name), 'r+');
  writeSync(handle, Buffer.alloc(bytes, 'x'), 0, bytes, from);
  closeSync(handle);
}

/** What it prints when it does not start. */
async function refusal(): Promise<string> {
  const started = await startServerProcess(dataDir).catch((error: Error) => error.message);
  if (typeof started === 'string') return started;
  await started.kill();
  throw new Error('It started.');
}

const FILES = [
  ['metadata.sqlite', 'accounts, keys, flags, persons, settings', 'cairn restore FILE --replace'],
  [SEGMENT, 'events that were not processed yet', 'move it aside'],
  ['events.duckdb', 'all stored events', 'move it aside'],
  ['lock', 'it holds no data', 'Delete it'],
] as const;

describe.each(FILES)('%s', (name, holds, advice) => {
  it('with other content', async () => {
    writeFileSync(file(name), Buffer.alloc(8192, 'no database '));
    const text = await refusal();
    for (const part of ['exit code 1', 'Cairn did not start.', file(name), advice]) expect(text).toContain(part);
    if (name !== SEGMENT) expect(text).toContain(holds);
    expect(text).not.toMatch(/\n\s+at |Stack Trace/);
  });

  it('with a damaged header', async () => {
    if (name === 'lock') return;
    overwrite(name, 0, 64);
    const text = await refusal();
    for (const part of [file(name), advice]) expect(text).toContain(part);
    expect(text).not.toMatch(/\n\s+at |Stack Trace/);
  });

  it.skipIf(process.getuid?.() === 0)('that this user may not open', async () => {
    chmodSync(file(name), 0);
    const text = await refusal();
    expect(text).toContain(file(name));
    expect(text).toMatch(/chown|another user|permission/i);
    expect(text).not.toMatch(/\n\s+at /);
  });

  it('that is a folder', async () => {
    const path = file(name);
    rmSync(path);
    mkdirSync(path);
    const text = await refusal();
    expect(text).toContain(path);
    expect(text).not.toMatch(/\n\s+at /);
  });
});

it('metadata that is gone does not begin a new installation on the events of another', async () => {
  rmSync(file('metadata.sqlite'));
  const text = await refusal();
  expect(text).toContain(`${file('metadata.sqlite')} is missing`);
  expect(text).not.toContain('phx_');
  expect(() => statSync(file('metadata.sqlite'))).toThrow();
});

it('metadata with damaged pages', async () => {
  const { size } = statSync(file('metadata.sqlite'));
  overwrite('metadata.sqlite', 4096, Math.min(size - 4096, 65_536));
  const text = await refusal();
  expect(text).toMatch(/metadata\.sqlite|DATA_DIR cannot be read/);
  expect(text).not.toMatch(/\n\s+at /);
});

it('a DATA_DIR that is a file', async () => {
  rmSync(dataDir, { recursive: true, force: true });
  writeFileSync(dataDir, 'a file');
  expect(await refusal()).toContain(`DATA_DIR ${dataDir}`);
});

it('a secret that cannot be read', async () => {
  const started = await startServerProcess(dataDir, {
    env: { INIT_PROJECT_API_KEY: '', INIT_PROJECT_API_KEY_FILE: '/does/not/exist' },
  }).catch((error: Error) => error.message);
  expect(started).toContain('INIT_PROJECT_API_KEY_FILE names a file that cannot be read');
  expect(started).toContain('/does/not/exist');
});
