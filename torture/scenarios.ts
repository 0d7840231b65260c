/** Failures of a server. None may lose or duplicate acknowledged events. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { DATA_FILES } from '../src/stores/data-files.ts';
import { SEGMENT_HEADER_BYTES } from '../src/stores/segment-log/segment-header.ts';
import { runTorture, type TortureOptions, type TortureResult, type TortureRun } from './run-torture.ts';

export type Options = Omit<TortureOptions, 'scenario' | 'dataDir' | 'env'>;
export type Scenario = (options: Options) => Promise<TortureResult | null>;

const acknowledged = ({ ledger }: TortureRun): string =>
  `${ledger.requests} requests, ${ledger.acknowledgedEvents} events acknowledged`;

/** Killed at random moments: under load, during startup, and during recovery. */
const kill: Scenario = (options) =>
  runTorture({ ...options, scenario: 'kill' }, async (run) => {
    const { server, client, random, rounds, log } = run;
    client.paceMs = 10;
    for (let round = 1; round <= rounds; round++) {
      server.spawn();
      const isEarly = random.happens(0.2);
      client.start();
      if (!isEarly) await server.ready();
      // Some live long enough to get through what an earlier one was killed over.
      const maxMs = random.happens(0.05) ? 15_000 : 900;
      await sleep(isEarly ? random.between(50, 700) : random.between(10, maxMs));
      await server.kill();
      await client.stop();
      log(`round ${round}/${rounds}: killed${isEarly ? ' early' : ''}; ${acknowledged(run)}`);
    }
  });

/** Damages the end of the log, and of the metadata's journal: garbage, or half a record. */
const corruptTail: Scenario = (options) =>
  runTorture({ ...options, scenario: 'corrupt-tail' }, async (run) => {
    const { server, client, random, log } = run;
    const rounds = Math.max(2, Math.ceil(options.rounds / 10));
    for (let round = 1; round <= rounds; round++) {
      await server.start();
      client.start();
      await sleep(random.between(200, 800));
      await server.kill();
      await client.stop();
      const damages = [lastSegment(server.dataDir), join(server.dataDir, `${DATA_FILES.metadata}-wal`)].map((path) =>
        damageEnd(path, random.next()),
      );
      log(`round ${round}/${rounds}: ${damages.join(', ')}; ${acknowledged(run)}`);
    }
  });

/** What an unfinished write leaves after a power cut: never acknowledged, so it must be ignored. */
function damageEnd(path: string, choice: number): string {
  if (!existsSync(path)) return 'no journal';
  const size = statSync(path).size;
  if (choice < 0.5 || size < 8192) {
    appendFileSync(path, Buffer.alloc(5000, 0xa5));
    return 'garbage appended';
  }
  const begin = path.endsWith('-wal') ? JOURNAL_HEADER_BYTES : SEGMENT_HEADER_BYTES;
  appendFileSync(path, readFileSync(path).subarray(begin, begin + 24 + 2000));
  return 'half a record appended';
}

const JOURNAL_HEADER_BYTES = 32;

function lastSegment(dataDir: string): string {
  const folder = join(dataDir, DATA_FILES.log);
  return join(folder, readdirSync(folder).sort().at(-1) ?? '');
}

/** The worker thread crashes repeatedly under load and is restarted; nothing else stops. */
const deadWorker: Scenario = (options) =>
  runTorture({ ...options, scenario: 'dead-worker', env: { CAIRN_FAULTS: 'true' } }, async (run) => {
    const { server, client, random, log } = run;
    const rounds = Math.max(2, Math.ceil(options.rounds / 10));
    await server.start();
    client.start();
    for (let round = 1; round <= rounds; round++) {
      await sleep(random.between(50, 600));
      server.signal('SIGUSR2');
      log(`round ${round}/${rounds}: crashed the worker; ${acknowledged(run)}`);
    }
    await server.ready();
    await client.stop();
  });

/** Another process holds the metadata write lock for longer than the timeout. */
const storeOutage: Scenario = (options) =>
  runTorture({ ...options, scenario: 'store-outage' }, async (run) => {
    const { server, client, log } = run;
    const seconds = options.rounds < 50 ? 4 : 15;
    client.paceMs = 40;
    await server.start();
    client.start();
    await sleep(500);
    const blocker = new Database(join(server.dataDir, DATA_FILES.metadata), { timeout: 10_000 });
    blocker.exec('begin exclusive');
    log('the metadata is locked');
    await sleep(seconds * 1000);
    const { pending } = await server.status();
    log(`after ${seconds} s ${pending} events are pending; ${acknowledged(run)}`);
    blocker.exec('rollback');
    blocker.close();
    await sleep(500);
    await client.stop();
  });

const FULL_DISK_MB = 48;

/** A small disk that fills up under load and then gets more space. */
const diskFull: Scenario = async (options) => {
  const disk = mountSmallDisk();
  if (disk === null) {
    console.log('[disk-full] skipped: mounting a tmpfs requires root');
    return null;
  }
  try {
    const { path } = disk;
    return await runTorture({ ...options, scenario: 'disk-full', dataDir: join(path, 'data') }, async (run) => {
      const { server, client, random, ledger, log } = run;
      const ballast = join(path, 'ballast');
      await server.start();
      const rounds = options.rounds < 50 ? 2 : 4;
      client.paceMs = 10;
      for (let round = 1; round <= rounds; round++) {
        client.start();
        await sleep(random.between(300, 800));
        fillDisk(ballast);
        const before = ledger.answers.get(503) ?? 0;
        await sleep(2000);
        const rejected = (ledger.answers.get(503) ?? 0) - before;
        rmSync(ballast, { force: true });
        disk.grow(FULL_DISK_MB * (round + 1));
        const until = Date.now() + 20_000;
        const acceptedBefore = ledger.answers.get(200) ?? 0;
        while ((ledger.answers.get(200) ?? 0) < acceptedBefore + 5 && Date.now() < until) await sleep(50);
        await client.stop();
        log(`round ${round}/${rounds}: ${rejected} requests rejected while the disk was full; ${acknowledged(run)}`);
        if (round === 2) {
          // A full disk and a crash together: the next start completes or discards half-written data.
          await server.kill();
          await server.start();
        }
      }
    });
  } finally {
    disk.unmount();
  }
};

interface SmallDisk {
  path: string;
  grow(megabytes: number): void;
  unmount(): void;
}

function mountSmallDisk(): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'cairn-torture-disk-'));
  const mount = (...args: string[]): void => void execFileSync('mount', args, { stdio: 'ignore' });
  try {
    mount('-t', 'tmpfs', '-o', `size=${FULL_DISK_MB}m`, 'tmpfs', path);
  } catch {
    rmSync(path, { recursive: true, force: true });
    return null;
  }
  return {
    path,
    grow: (megabytes) => mount('-o', `remount,size=${megabytes}m`, path),
    unmount: () => {
      execFileSync('umount', ['-l', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function fillDisk(path: string): void {
  for (const size of [1 << 20, 1 << 16, 1 << 12, 1]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // No space for this size.
    }
  }
}

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  kill,
  'disk-full': diskFull,
  'corrupt-tail': corruptTail,
  'dead-worker': deadWorker,
  'store-outage': storeOutage,
};
