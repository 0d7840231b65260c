/**
 * Copies of projects that statements of users read, on the worker thread. A copy is made when it is asked for, and grows by
 * what was added since.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { CopySource, ProjectCopier } from '../../stores/events/project-copy.ts';

interface ProjectCopiesDeps {
  folder: string;
  events: ProjectCopier;
  source: CopySource;
  clock: Clock;
  ids: Pick<Ids, 'uuid'>;
  mirrorPersons(projectId: number): Promise<void>;
}

interface Copy {
  path: string;
  lastRow: number;
  generation: number;
  /** What was stored until then is in it; ms UTC. */
  freshUntil: number;
  tookMs: number;
  usedAt: number;
}

export type UsableCopy = Pick<Copy, 'path' | 'freshUntil'>;

/** A copy may be as old as this many times the time that renewing it takes. */
const AGE_PER_COST = 10;
const UNUSED_MS = 7 * DAY_MS;

export class ProjectCopies {
  readonly #deps: ProjectCopiesDeps;
  readonly #copies = new Map<number, Copy>();
  readonly #making = new Map<number, Promise<Copy>>();
  /** Counts removals of all copies: one that was begun before is not used. */
  #epoch = 0;

  constructor(deps: ProjectCopiesDeps) {
    this.#deps = deps;
    // It is not known what a copy of an earlier process has.
    this.clear();
  }

  /** A copy that is at most `maxAgeMs` old. */
  async get(projectId: number, maxAgeMs: number): Promise<UsableCopy> {
    this.#removeUnused();
    const now = this.#deps.clock.now();
    const copy = this.#copies.get(projectId);
    const age = copy === undefined ? Infinity : now - copy.freshUntil;
    if (copy !== undefined && age < Math.min(maxAgeMs, copy.tookMs * AGE_PER_COST)) {
      copy.usedAt = now;
      return copy;
    }
    return this.#make(projectId);
  }

  /** Deletes all of them. */
  clear(): void {
    this.#epoch++;
    this.#copies.clear();
    rmSync(this.#deps.folder, { recursive: true, force: true });
  }

  async #make(projectId: number): Promise<Copy> {
    const running = this.#making.get(projectId);
    if (running !== undefined) return running;
    const making = this.#renew(projectId).finally(() => this.#making.delete(projectId));
    this.#making.set(projectId, making);
    return making;
  }

  async #renew(projectId: number): Promise<Copy> {
    const { events, source, clock, ids, folder, mirrorPersons } = this.#deps;
    for (;;) {
      const epoch = this.#epoch;
      const start = performance.now();
      const freshUntil = clock.now();
      await mirrorPersons(projectId);
      const last = this.#copies.get(projectId);
      const base = last !== undefined && last.generation === events.generation ? last : null;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Never a name that was used before: processes and kept answers know a copy by it, also after a restart of this thread.
      const path = join(folder, `${projectId}-${ids.uuid()}.duckdb`);
      const { lastRow, generation } = await events.copyProject({ projectId, target: path, source, base });
      if (epoch !== this.#epoch) {
        rmSync(path, { force: true });
        continue;
      }
      const tookMs = performance.now() - start;
      const copy = { path, lastRow, generation, freshUntil, tookMs, usedAt: freshUntil };
      this.#copies.set(projectId, copy);
      // Processes that read it keep it open.
      if (last !== undefined) rmSync(last.path, { force: true });
      return copy;
    }
  }

  #removeUnused(): void {
    const before = this.#deps.clock.now() - UNUSED_MS;
    for (const [projectId, { usedAt, path }] of this.#copies) {
      if (usedAt >= before) continue;
      this.#copies.delete(projectId);
      rmSync(path, { force: true });
    }
  }
}
