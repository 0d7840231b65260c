/** What can happen to a server. After each of these nothing acknowledged may be lost, and nothing be there twice. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { DATA_FILES } from '../src/stores/data-files.ts';
import { runTorture, type TortureOptions, type TortureResult, type TortureRun } from './storm.ts';

export type Options = Omit<TortureOptions, 'scenario' | 'dataDir' | 'env'>;
export type Scenario = (options: Options) => Promise<TortureResult | null>;

const acknowledged = ({ ledger }: TortureRun): string =>
  `${ledger.requests.length} requests, ${ledger.acknowledgedEvents} events acknowledged`;

/** Killed at random instants: under load, in the middle of a start, and in the middle of what a start finishes. */
const kill: Scenario = (options) =>
  runTorture({ ...options, scenario: 'kill' }, async (storm) => {
    const { server, client, chance, rounds, say } = storm;
    client.paceMs = 10;
    for (let round = 1; round <= rounds; round++) {
      server.spawn();
      const isEarly = chance.happens(0.2);
      client.start();
      if (!isEarly) await server.ready();
      await sleep(chance.between(isEarly ? 50 : 10, isEarly ? 700 : 900));
      await server.kill();
      await client.stop();
      say(`round ${round}/${rounds}: killed${isEarly ? ' early' : ''}; ${acknowledged(storm)}`);
    }
  });

/** The ends of both SQLite journals are torn: garbage, or half a frame that looks right at first. */
const corruptTail: Scenario = (options) =>
  runTorture({ ...options, scenario: 'corrupt-tail' }, async (storm) => {
    const { server, client, chance, say } = storm;
    const rounds = Math.max(2, Math.ceil(options.rounds / 10));
    for (let round = 1; round <= rounds; round++) {
      await server.start();
      client.start();
      await sleep(chance.between(200, 800));
      await server.kill();
      await client.stop();
      const torn = [DATA_FILES.log, DATA_FILES.metadata].map((file) =>
        truncateJournal(join(server.dataDir, `${file}-wal`), chance.next()),
      );
      say(`round ${round}/${rounds}: ${torn.join(', ')}; ${acknowledged(storm)}`);
    }
  });

/** What a write under way leaves behind when the power goes: never acknowledged, so it must be passed over. */
function truncateJournal(journal: string, choice: number): string {
  if (!existsSync(journal)) return 'no journal';
  const size = statSync(journal).size;
  if (choice < 0.5 || size < 8192) {
    appendFileSync(journal, Buffer.alloc(5000, 0xa5));
    return 'garbage appended';
  }
  const frame = readFileSync(journal).subarray(32, 32 + 24 + 2000);
  appendFileSync(journal, frame);
  return 'half a frame appended';
}

/** The worker thread dies under load, again and again; it is started anew and nothing stops meanwhile. */
const deadWorker: Scenario = (options) =>
  runTorture({ ...options, scenario: 'dead-worker', env: { CAIRN_FAULTS: 'true' } }, async (storm) => {
    const { server, client, chance, say } = storm;
    const rounds = Math.max(2, Math.ceil(options.rounds / 10));
    await server.start();
    client.start();
    for (let round = 1; round <= rounds; round++) {
      await sleep(chance.between(50, 600));
      server.signal('SIGUSR2');
      say(`round ${round}/${rounds}: the worker was told to die; ${acknowledged(storm)}`);
    }
    await server.ready();
    await client.stop();
  });

/** Somebody holds the relational database's write lock for longer than anybody waits for it. */
const storeOutage: Scenario = (options) =>
  runTorture({ ...options, scenario: 'store-outage' }, async (storm) => {
    const { server, client, say } = storm;
    const seconds = options.rounds < 50 ? 4 : 15;
    client.paceMs = 40;
    await server.start();
    client.start();
    await sleep(500);
    const holder = new Database(join(server.dataDir, DATA_FILES.metadata), { timeout: 10_000 });
    holder.exec('begin exclusive');
    say('the relational database is locked');
    await sleep(seconds * 1000);
    const { pending } = await server.status();
    say(`after ${seconds} s ${pending} events wait; ${acknowledged(storm)}`);
    holder.exec('rollback');
    holder.close();
    await sleep(500);
    await client.stop();
  });

const FULL_DISK_MB = 48;

/** A real, small disk that fills up under load; then somebody makes room. */
const diskFull: Scenario = async (options) => {
  const disk = mountSmallDisk();
  if (disk === null) {
    console.log('[disk-full] skipped: it needs the right to mount a tmpfs (run as root)');
    return null;
  }
  try {
    const { path } = disk;
    return await runTorture({ ...options, scenario: 'disk-full', dataDir: join(path, 'data') }, async (storm) => {
      const { server, client, chance, ledger, say } = storm;
      const ballast = join(path, 'ballast');
      await server.start();
      const rounds = options.rounds < 50 ? 2 : 4;
      client.paceMs = 10;
      for (let round = 1; round <= rounds; round++) {
        client.start();
        await sleep(chance.between(300, 800));
        fillDisk(ballast);
        const before = ledger.answers.get(503) ?? 0;
        await sleep(2000);
        const refused = (ledger.answers.get(503) ?? 0) - before;
        rmSync(ballast, { force: true });
        disk.grow(FULL_DISK_MB * (round + 1));
        const until = Date.now() + 20_000;
        const sofar = ledger.answers.get(200) ?? 0;
        while ((ledger.answers.get(200) ?? 0) < sofar + 5 && Date.now() < until) await sleep(50);
        await client.stop();
        say(`round ${round}/${rounds}: ${refused} requests refused while the disk was full; ${acknowledged(storm)}`);
        if (round === 2) {
          // A full disk and a crash together: what was half written is finished, or forgotten, at the next start.
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

/** Takes every byte that is left. */
function fillDisk(path: string): void {
  for (const size of [1 << 20, 1 << 16, 1 << 12, 1]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // Full for pieces of this size.
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
