/** The processes that run statements: whichever of them is killed, the next statement is answered and none is left. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { constants, getPriority } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { NO_PLACEHOLDERS } from '../../src/features/sql/rules/prepare-text.ts';
import { SqlRunner } from '../../src/features/sql/sql-runner.ts';
import { builtFile } from '../../src/runtime/built-file.ts';
import { isRunning, programOf, sqlProcessesOf } from '../support/process-tree.ts';

/** By which those of this file are known: other files start some, too. */
const MEMORY_MB = 253;
/** Also if the tests themselves have a low one. */
const START_PRIORITY = Math.max(10, getPriority());
const LOWEST_PRIORITY = constants.priority.PRIORITY_LOW;
const runners: SqlRunner[] = [];
afterEach(() => {
  for (const runner of runners.splice(0)) runner.close();
});

function newRunner(timeoutSeconds = 60, longMs = 2000): SqlRunner {
  const runner = new SqlRunner({ programs: builtFile('./'), timeoutSeconds, memoryMb: MEMORY_MB, longMs });
  runners.push(runner);
  return runner;
}

/** Statements of the catalog of PostgreSQL need no copy of a project. */
const statement = (sql: string) => ({
  path: null,
  sql,
  placeholders: NO_PLACEHOLDERS,
  rows: { byDefault: 100, max: 1000 },
  isPostgres: true,
  checkOnly: false,
  maxBytes: 1_000_000,
});
const QUICK = statement('select nspname from pg_catalog.pg_namespace order by 1');
const NAMESPACES = [['information_schema'], ['pg_catalog'], ['public']];
const names = Array.from({ length: 6 }, (_, i) => `a${i}`);
/** A million million rows, with some work for each. */
const ENDLESS = statement(
  `select max(md5(concat(${names.map((name) => `${name}.attname`).join(', ')}))) from ${names.map((name) => `pg_catalog.pg_attribute ${name}`).join(', ')}`,
);

/** About two seconds of CPU time. */
const LONG = statement(
  `select max(md5(md5(md5(md5(md5(md5(concat(${names
    .slice(0, 3)
    .map((name) => `${name}.attname`)
    .join(', ')})))))))) from ${names
    .slice(0, 3)
    .map((name) => `pg_catalog.pg_attribute ${name}`)
    .join(', ')}, pg_catalog.pg_namespace`,
);

const answerOf = async (runner: SqlRunner) =>
  JSON.parse(String((await runner.run(QUICK, new AbortController().signal)).rows));
const refusalOf = (runner: SqlRunner, signal = new AbortController().signal) =>
  runner.run(ENDLESS, signal).then(
    () => 'answered',
    (error: { code?: string }) => error.code ?? String(error),
  );

const processes = () => sqlProcessesOf(process.pid, (program) => program.includes(`"memoryMb":${MEMORY_MB},`));

/** Of all its threads. */
const prioritiesOf = (pid: number): number[] => [
  ...new Set(
    readdirSync(`/proc/${pid}/task`).map((thread) => {
      const fields = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return Number(fields[16]);
    }),
  ),
];

const socketOf = (launcher: number): string => /"socket":"([^"]+)"/.exec(programOf(launcher))?.[1] ?? '';

/** Again and again: one that is killed before it takes statements is replaced. */
async function killUntil(which: 'launchers' | 'children', ended: Promise<unknown>): Promise<void> {
  let isEnded = false;
  void ended.finally(() => {
    isEnded = true;
  });
  while (!isEnded) {
    for (const pid of processes()[which]) process.kill(pid, 'SIGKILL');
    await sleep(100);
  }
}

const started = () => expect.poll(() => processes().children);

describe.skipIf(process.platform !== 'linux')('a process that runs statements', () => {
  it('has low priority, no environment and a folder of its own', async () => {
    const runner = newRunner();
    expect(await answerOf(runner)).toEqual(NAMESPACES);
    const [pid = 0] = processes().children;
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('');
    expect(prioritiesOf(pid)).toEqual([START_PRIORITY]);
    // Another statement does not start another one.
    expect(await answerOf(runner)).toEqual(NAMESPACES);
    expect(processes().children).toEqual([pid]);
  });

  it('has the lowest priority once a statement is long, and is not used for the next one', async () => {
    // Those of other tests are gone.
    await started().toEqual([]);
    const runner = newRunner(60, 500);
    const controller = new AbortController();
    const refused = refusalOf(runner, controller.signal);
    await started().toHaveLength(1);
    const [endless = 0] = processes().children;
    await expect.poll(() => prioritiesOf(endless)).toEqual([LOWEST_PRIORITY]);
    controller.abort(Object.assign(new Error('stopped'), { code: 'stopped' }));
    expect(await refused).toBe('stopped');

    expect(await answerOf(runner)).toEqual(NAMESPACES);
    const [long = 0] = processes().children.filter((pid) => pid !== endless);
    const { rows } = await runner.run(LONG, new AbortController().signal);
    expect(JSON.parse(String(rows))).toEqual([[expect.stringMatching(/^[0-9a-f]{32}$/)]]);
    await expect.poll(() => isRunning(long)).toBe(false);
    expect(await answerOf(runner)).toEqual(NAMESPACES);
    await expect.poll(() => processes().children.map(prioritiesOf)).toEqual([[START_PRIORITY]]);
  });

  it('is killed at the end of its time, and when nobody wants its answer', async () => {
    // Only for what has no end: on a busy machine, anything may take so long.
    expect(await refusalOf(newRunner(2))).toBe('too_slow');
    await expect.poll(() => processes().children).toEqual([]);
    const runner = newRunner();
    const controller = new AbortController();
    const refused = refusalOf(runner, controller.signal);
    await started().toHaveLength(1);
    controller.abort(Object.assign(new Error('stopped'), { code: 'stopped' }));
    expect(await refused).toBe('stopped');
    await expect.poll(() => processes().children).toEqual([]);
    expect(await answerOf(runner)).toEqual(NAMESPACES);
  });

  it('may be killed by others: the statement is refused, and the next one answered', async () => {
    const runner = newRunner();
    const refused = refusalOf(runner);
    await started().toHaveLength(1);
    await killUntil('children', refused);
    expect(await refused).toBe('too_large');
    expect(await answerOf(runner)).toEqual(NAMESPACES);
    // Also while it waits for a statement.
    for (const pid of processes().children) process.kill(pid, 'SIGKILL');
    expect(await answerOf(runner)).toEqual(NAMESPACES);
  });

  it('ends with the launcher, which is started again', async () => {
    const runner = newRunner();
    const refused = refusalOf(runner);
    await started().toHaveLength(1);
    const before = processes();
    await killUntil('launchers', refused);
    expect(await refused).toBe('too_large');
    expect(await answerOf(runner)).toEqual(NAMESPACES);
    await expect.poll(() => before.children.filter(isRunning)).toEqual([]);
    // Also if it is killed when a process is needed.
    for (const pid of processes().children) process.kill(pid, 'SIGKILL');
    await expect.poll(() => processes().children).toEqual([]);
    for (const pid of processes().launchers) process.kill(pid, 'SIGKILL');
    expect(await answerOf(runner)).toEqual(NAMESPACES);
  });

  it('is reached although the temporary folder was cleaned, and not by others who connect', async () => {
    const runner = newRunner();
    expect(await answerOf(runner)).toEqual(NAMESPACES);
    const before = processes();
    const socket = socketOf(before.launchers[0] ?? 0);
    const stranger = connect(socket, () => stranger.end(Buffer.alloc(64, 0xff)));
    stranger.on('error', () => undefined);
    await new Promise((resolve) => stranger.on('close', resolve));
    for (const pid of before.children) process.kill(pid, 'SIGKILL');
    rmSync(dirname(socket), { recursive: true });
    expect(await answerOf(runner)).toEqual(NAMESPACES);
    expect(socketOf(processes().launchers.find((pid) => !before.launchers.includes(pid)) ?? 0)).not.toBe(socket);
    await expect.poll(() => [...before.launchers, ...before.children].filter(isRunning)).toEqual([]);
  });

  it('is gone once nothing is to be run any more, with its folder', async () => {
    const runner = newRunner();
    expect(await answerOf(runner)).toEqual(NAMESPACES);
    const { launchers, children } = processes();
    expect([launchers.length, children.length]).toEqual([1, 1]);
    const socket = socketOf(launchers[0] ?? 0);
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    runner.close();
    expect(existsSync(dirname(socket))).toBe(false);
    await expect.poll(() => [...launchers, ...children].filter(isRunning)).toEqual([]);
  });
});
