/**
 * Runs every command in the guides, in order, in one shell per guide, against a fresh server. `<!-- expect: text -->`
 * after a block is a text that its output contains. A block that cannot run here is marked `<!-- not run: why -->` and
 * may only contain commands of `ELSEWHERE`.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { type Block, readGuide } from './read-guide.ts';
import { Shell } from './shell.ts';

const folder = new URL('../../docs/guides/', import.meta.url);
const guides = readdirSync(folder).filter((file) => file.endsWith('.md'));
const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** Commands that need a container engine, a cluster or a machine of their own. */
const ELSEWHERE =
  /^(docker|kubectl|npx cairn geoip update|npm (ci|pack|start|run (move|bench|torture))|git |sudo |pg_dump|clickhouse-client|DATABASE_|PORT=|DATA_DIR=)/;

describe.each(guides)('%s', (file) => {
  const blocks = readGuide(readFileSync(new URL(file, folder), 'utf8'));
  const run = blocks.filter(({ whyNot }) => whyNot === null);
  let server: TestServer;
  let shell: Shell;

  beforeAll(async () => {
    server = await startServer({ now: new Date().toISOString() });
    shell = new Shell({
      CAIRN: server.url,
      PROJECT_KEY: server.projectKey,
      PERSONAL_KEY: server.personalKey,
      DATA_DIR: server.dataDir,
    });
  });
  afterAll(async () => {
    shell?.close();
    await server?.close();
  });

  it('skips only commands that cannot run here', () => {
    const wrong = blocks.filter(({ whyNot, text }) => whyNot !== null && !text.split('\n').every(isElsewhere));
    expect(wrong.map(({ text }) => text)).toEqual([]);
  });

  for (const block of run) {
    it.skipIf(!hasCurl)(`line ${block.line}: ${block.text.split('\n')[0]}`, async () => {
      expect(await outcomeOf(shell, block)).toEqual({ code: 0, missing: [] });
      // The next block may read what this one sent.
      await server.drain();
    });
  }
});

const isElsewhere = (line: string): boolean => line === '' || /^(#| )/.test(line) || ELSEWHERE.test(line);

async function outcomeOf(shell: Shell, { text, expected }: Block) {
  const { code, output } = await shell.run(text);
  const missing = expected.filter((part) => !output.includes(part));
  return { code, missing, ...(code === 0 && missing.length === 0 ? {} : { output: output.slice(-3000) }) };
}
