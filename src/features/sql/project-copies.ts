/**
 * Copies of projects that statements of users read, on the worker thread. A copy is made when it is asked for, and grows by
 * what was added since.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/errors.ts';
import { DAY_MS, MINUTE_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import {
  type CopySource,
  CopyTooLarge,
  type ProjectCopier,
  type ProjectCopyRequest,
} from '../../stores/events/project-copy.ts';

interface ProjectCopiesDeps {
  folder: string;
  /** Of one copy, on disk. */
  maxBytes: number;
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
/** A copy that was too large is not tried again before. */
const TOO_LARGE_MS = 10 * MINUTE_MS;
const GB = 1e9;

export class ProjectCopies {
  readonly #deps: ProjectCopiesDeps;
  readonly #copies = new Map<number, Copy>();
  readonly #making = new Map<number, Promise<Copy>>();
  /** Projects whose copy would be too large: how large, and when that was found. */
  readonly #tooLarge = new Map<number, { bytes: number; at: number }>();
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
    const large = this.#tooLarge.get(projectId);
    if (large !== undefined && now - large.at < TOO_LARGE_MS) throw this.#tooLargeFailure(large.bytes);
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
    this.#tooLarge.clear();
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
      const { lastRow, generation } = await this.#copy({ projectId, target: path, source, base });
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

  async #copy(request: Omit<ProjectCopyRequest, 'maxBytes'>): ReturnType<ProjectCopier['copyProject']> {
    const { events, maxBytes, clock } = this.#deps;
    try {
      const copy = await events.copyProject({ ...request, maxBytes });
      this.#tooLarge.delete(request.projectId);
      return copy;
    } catch (error) {
      if (!(error instanceof CopyTooLarge)) throw error;
      this.#tooLarge.set(request.projectId, { bytes: error.bytes, at: clock.now() });
      this.#remove(request.projectId);
      throw this.#tooLargeFailure(error.bytes);
    }
  }

  #tooLargeFailure(bytes: number): Failure {
    const [needed, allowed] = [bytes, this.#deps.maxBytes].map((size) => Number((size / GB).toPrecision(3)));
    return new Failure(
      'unavailable',
      `SQL reads a copy of the project, which would take about ${needed} GB; SQL_COPY_MAX_GB allows ${allowed}. Ask whoever runs this server to raise it, or to keep events for fewer days.`,
      { code: 'copy_too_large' },
    );
  }

  #remove(projectId: number): void {
    const copy = this.#copies.get(projectId);
    this.#copies.delete(projectId);
    if (copy !== undefined) rmSync(copy.path, { force: true });
  }

  #removeUnused(): void {
    const before = this.#deps.clock.now() - UNUSED_MS;
    for (const [projectId, { usedAt }] of this.#copies) if (usedAt < before) this.#remove(projectId);
  }
}
