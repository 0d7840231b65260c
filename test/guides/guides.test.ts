/**
 * Every command in the guides is run, in its order, in one shell for each guide, against a fresh server. After a block,
 * `<!-- expect: text -->` says what its output holds. A block that cannot be run here is marked
 * `<!-- not run: why -->` and must begin with a command of which that is plausible.
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

/** They need a container engine, a cluster, a machine of their own, or would set up this one. */
const ELSEWHERE =
  /^(docker|kubectl|npm (ci|start|run (move|bench|torture))|git |sudo |pg_dump|clickhouse-client|DATABASE_|PORT=|DATA_DIR=)/;

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

  it('leaves out only what cannot be run here', () => {
    const wrong = blocks.filter(({ whyNot, text }) => whyNot !== null && !text.split('\n').every(isElsewhere));
    expect(wrong.map(({ text }) => text)).toEqual([]);
  });

  for (const block of run) {
    it.skipIf(!hasCurl)(`line ${block.line}: ${block.text.split('\n')[0]}`, async () => {
      expect(await outcomeOf(shell, block)).toEqual({ code: 0, missing: [] });
      // The next block finds what this one has sent.
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
