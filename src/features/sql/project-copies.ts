/**
 * Copies of projects that statements of users read, on the worker thread. A copy is made when it is asked for. Later, a
 * small file is made with what was added since, to be read together with it; once that has a tenth of the events, both
 * become one file. To write a large file, and to delete it, holds up whoever else waits for the disk: capture.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/errors.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../core/time/units.ts';
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

/** A file. */
interface CopyFile {
  path: string;
  lastRow: number;
  events: number;
  /** Ms UTC; null: all events are there. */
  eventsFrom: number | null;
}

type WrittenCopy = Awaited<ReturnType<ProjectCopier['copyProject']>>;

interface CopyRequest extends Omit<ProjectCopyRequest, 'maxBytes'> {
  base: CopyFile | null;
}

interface Copy extends CopyFile {
  /** The file that has the events before, if this one has only those after it. */
  earlier: CopyFile | null;
  generation: number;
  /** What was stored until then is in it; ms UTC. */
  freshUntil: number;
  tookMs: number;
  usedAt: number;
}

export type UsableCopy = Pick<Copy, 'path' | 'freshUntil' | 'eventsFrom'> & { earlier: Pick<CopyFile, 'path'> | null };

/** A copy may be as old as this many times the time that renewing it takes. */
const AGE_PER_COST = 10;
const UNUSED_MS = 7 * DAY_MS;
/** A copy of which not even the newest month fitted is not tried again before. */
const TOO_LARGE_MS = 10 * MINUTE_MS;
/** An addition of fewer events stays one. */
const MIN_EVENTS = 10_000;
const MAX_ADDITION = 0.1;
/** How long a file is kept that has been replaced: a statement may be waiting to read it. */
const REPLACED_MS = 20 * SECOND_MS;
const GB = 1e9;

export class ProjectCopies {
  readonly #deps: ProjectCopiesDeps;
  readonly #copies = new Map<number, Copy>();
  readonly #making = new Map<number, Promise<Copy>>();
  /** Projects of which not even the newest month fits: how large it is, and when that was found. */
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
      const isUsable = last !== undefined && last.generation === events.generation;
      const base = isUsable ? (last.earlier ?? last) : null;
      const isAddition = isUsable && base !== null && !isLargeAddition(last);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Never a name that was used before: processes and kept answers know a copy by it, also after a restart of this thread.
      const path = join(folder, `${projectId}-${ids.uuid()}.duckdb`);
      const made = await this.#copy({ projectId, target: path, source, base, isAddition });
      if (epoch !== this.#epoch) {
        rmSync(path, { force: true });
        continue;
      }
      const tookMs = performance.now() - start;
      const copy = { ...made, path, freshUntil, tookMs, usedAt: freshUntil };
      this.#copies.set(projectId, copy);
      for (const file of filesOf(last)) if (file !== copy.earlier?.path) removeLater(file);
      return copy;
    }
  }

  /** What does not fit with a copy that is there is made anew, of fewer months. */
  async #copy(request: CopyRequest): Promise<Pick<Copy, keyof WrittenCopy | 'earlier'>> {
    const { events, maxBytes, clock } = this.#deps;
    const { projectId, base, isAddition } = request;
    try {
      const copy = await events.copyProject({ ...request, maxBytes });
      this.#tooLarge.delete(projectId);
      return { ...copy, earlier: isAddition ? base : null };
    } catch (error) {
      if (!(error instanceof CopyTooLarge)) throw error;
      if (base !== null) return this.#copy({ ...request, base: null, isAddition: false });
      this.#tooLarge.set(projectId, { bytes: error.bytes, at: clock.now() });
      this.#remove(projectId);
      throw this.#tooLargeFailure(error.bytes);
    }
  }

  #tooLargeFailure(bytes: number): Failure {
    const [needed, allowed] = [bytes, this.#deps.maxBytes].map((size) => Number((size / GB).toPrecision(3)));
    return new Failure(
      'unavailable',
      `SQL reads a copy of the project. With the newest month of events alone, it would take about ${needed} GB; SQL_COPY_MAX_GB allows ${allowed}. Ask whoever runs this server to raise it.`,
      { code: 'copy_too_large' },
    );
  }

  #remove(projectId: number): void {
    const copy = this.#copies.get(projectId);
    this.#copies.delete(projectId);
    for (const file of filesOf(copy)) rmSync(file, { force: true });
  }

  #removeUnused(): void {
    const before = this.#deps.clock.now() - UNUSED_MS;
    for (const [projectId, { usedAt }] of this.#copies) if (usedAt < before) this.#remove(projectId);
  }
}

const isLargeAddition = ({ earlier, events }: Copy): boolean =>
  earlier !== null && events > Math.max(MIN_EVENTS, earlier.events * MAX_ADDITION);

const filesOf = (copy: Copy | undefined): string[] =>
  copy === undefined ? [] : [copy.path, ...(copy.earlier === null ? [] : [copy.earlier.path])];

/** Processes that read it by then keep it open. What is left at the end is removed at the next start. */
const removeLater = (path: string): void => {
  setTimeout(() => rmSync(path, { force: true }), REPLACED_MS).unref();
};
