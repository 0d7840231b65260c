/** Runs one scenario: a folder, a server, a client, and the check at the end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from './check.ts';
import { Client } from './client.ts';
import { Ledger } from './ledger.ts';
import { SeededRandom } from './seeded-random.ts';
import { ServerProcess } from './server-process.ts';

export interface TortureRun {
  server: ServerProcess;
  client: Client;
  ledger: Ledger;
  random: SeededRandom;
  rounds: number;
  log(line: string): void;
}

export interface TortureResult {
  scenario: string;
  requests: number;
  acknowledged: number;
  stored: number;
  answers: Record<string, number>;
  violations: string[];
}

export interface TortureOptions {
  scenario: string;
  seed: number;
  rounds: number;
  keep: boolean;
  /** Default: a temporary folder. */
  dataDir?: string;
  env?: Record<string, string>;
}

export async function runTorture(
  options: TortureOptions,
  play: (run: TortureRun) => Promise<void>,
): Promise<TortureResult> {
  const { scenario, seed, rounds } = options;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), `cairn-torture-${scenario}-`));
  const server = await ServerProcess.on(dataDir, options.env);
  const random = new SeededRandom(seed);
  const ledger = new Ledger();
  const client = new Client(server.url, ledger, random);
  const log = (line: string): void => console.log(`[${scenario}] ${line}`);
  let isClean = false;
  try {
    await play({ server, client, ledger, random, rounds, log });
    if (!server.isRunning) await server.start();
    await client.finish();
    const status = await server.settled();
    const exitCode = await server.stop();
    const { violations, events } = await check(dataDir, ledger, status);
    if (exitCode !== 0) violations.push(`a graceful stop ended with exit code ${exitCode}`);
    for (const answer of ledger.answers.keys()) {
      if (![0, 200, 503].includes(answer))
        violations.push(`${ledger.answers.get(answer)} responses with status ${answer}`);
    }
    isClean = violations.length === 0;
    return {
      scenario,
      requests: ledger.requests,
      acknowledged: ledger.acknowledgedEvents,
      stored: events,
      answers: Object.fromEntries(ledger.answers),
      violations,
    };
  } catch (error) {
    throw new Error(`${scenario}: ${error instanceof Error ? error.message : error}\n${server.output}`, {
      cause: error,
    });
  } finally {
    await server.kill();
    if (isClean && !options.keep) rmSync(dataDir, { recursive: true, force: true });
    else if (options.dataDir === undefined) log(`data folder kept: ${dataDir}`);
  }
}
