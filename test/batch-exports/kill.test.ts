/** A server that is killed again and again (SIGKILL) while it exports. `KILLS` for more than a few. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { call } from '../support/client.ts';
import { S3_KEYS, startS3Store } from '../support/s3-store.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const KILLS = Number(process.env['KILLS'] ?? 6);
const KEY = 'phx_faults_personal_key';
const ALL = '/api/projects/1/batch_exports/';
const SETTLED_MS = 120_000;
const MINUTES = 5 * 60_000;
/** The store refuses requests whose time differs by more than 15 minutes from its own. */
const MAX_AHEAD_MS = 13 * 60_000;

interface Manifest {
  records: number;
  files: { name: string; records: number }[];
}

it('has every event in exactly one file, whenever it is killed', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-export-kill-'));
  const folder = mkdtempSync(join(tmpdir(), 'cairn-export-files-'));
  const store = await startS3Store();
  let aheadMs = -12 * 60_000;
  let server: ServerProcess | null = null;
  const start = (): Promise<ServerProcess> =>
    startServerProcess(dataDir, {
      env: { EXPORT_DIR: folder, EXPORT_ALLOW_PRIVATE: 'true', CAIRN_CLOCK_AHEAD_MS: String(aheadMs) },
    });
  try {
    server = await start();
    const api = (method: string, path: string, body?: object) =>
      call(server?.url ?? '', method, path, { key: KEY, ...(body === undefined ? {} : { body }) });
    const files = { compression: 'gzip', max_file_size_mb: 1 };
    const s3 = { bucket_name: store.bucket, endpoint_url: store.url, ...S3_KEYS };
    const exports: { id: string }[] = [];
    for (const destination of [
      { type: 'Folder', config: { prefix: 'killed', ...files } },
      { type: 'S3', config: { prefix: 'killed', ...files, ...s3 } },
    ]) {
      const made = await api('POST', ALL, { interval: 'every 5 minutes', destination, paused: true });
      expect(made.status).toBe(201);
      exports.push(made.body);
    }
    const text = 'k'.repeat(2000);
    const accepted = new Set<string>();
    const sendSome = async (): Promise<void> => {
      const batch = Array.from({ length: 500 }, () => ({
        event: 'row',
        uuid: randomUUID(),
        distinct_id: 'ada',
        properties: { text },
      }));
      const status = await (server?.send(batch).catch(() => 0) ?? 0);
      if (status === 200) for (const { uuid } of batch) accepted.add(uuid);
    };
    for (let i = 0; i < 12; i++) await sendSome();
    await server.drain();
    await server.kill();
    aheadMs += MINUTES;
    server = await start();
    for (const { id } of exports) await api('POST', `${ALL}${id}/unpause/`);
    for (let round = 0; round < KILLS; round++) {
      await sleep((round * 173) % 1500);
      await sendSome();
      await server.kill();
      // Now and then another interval is over.
      if (round % 3 === 2 && aheadMs + 2 * MINUTES < MAX_AHEAD_MS) aheadMs += MINUTES;
      server = await start();
    }
    await server.drain();
    await server.kill();
    aheadMs += MINUTES;
    server = await start();
    const stored: number = (await server.status()).ingest.stored;
    for (const { id } of exports) {
      const exported = async (): Promise<number> => {
        const { results } = (await api('GET', `${ALL}${id}/runs/?limit=1000`)).body;
        return results.reduce((sum: number, run: { records_completed: number }) => sum + run.records_completed, 0);
      };
      for (const end = performance.now() + SETTLED_MS; (await exported()) < stored && performance.now() < end; )
        await sleep(250);
      expect(await exported()).toBe(stored);
    }
    const read = {
      Folder: {
        list: async () => readdirSync(join(folder, 'project-1'), { recursive: true }).map(String),
        read: async (name: string) => readFileSync(join(folder, 'project-1', name)),
      },
      S3: store,
    };
    for (const { list, read: open } of Object.values(read)) {
      const manifests = (await list()).filter((name) => name.includes('manifest_'));
      const uuids: string[] = [];
      for (const name of manifests) {
        const manifest: Manifest = JSON.parse((await open(name)).toString());
        for (const file of manifest.files) {
          const lines = gunzipSync(await open(file.name))
            .toString()
            .trimEnd()
            .split('\n');
          expect(lines.length).toBe(file.records);
          uuids.push(...lines.map((line) => JSON.parse(line).uuid));
        }
      }
      expect(uuids.length).toBe(stored);
      expect(new Set(uuids).size).toBe(stored);
      expect([...accepted].filter((uuid) => !uuids.includes(uuid))).toEqual([]);
    }
    console.info(`${KILLS} kills: ${accepted.size} accepted, ${stored} stored, all in one file each, twice`);
  } finally {
    await server?.kill();
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}, 600_000);
