/**
 * Demo data: what a small product would have sent in two months, so that somebody who has no events yet can look around.
 * It goes the way of all events, and beside it come flags, a cohort and a dashboard. To load it again adds nothing but
 * what has happened since.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from '../../access/callers.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import { createDemoObjects, type DemoObjectsDeps } from './demo-objects.ts';
import { demoClubEvents, demoEventsOf, type ToldEvent, toWireEvent } from './rules/demo-events.ts';

interface DemoDataDeps extends DemoObjectsDeps {
  /** Resolves when the events are on disk. */
  accept(projectId: number, events: readonly JsonObject[]): Promise<void>;
  /** Resolves when what was accepted before can be read, or when that takes too long. */
  whenProcessed(): Promise<unknown>;
  log: { error(fields: object, words: string): void };
}

export interface DemoProgress {
  state: 'none' | 'running' | 'done' | 'failed';
  /** How many events have been sent, of how many. */
  sent: number;
  total: number;
  problem: string | null;
}

const VISITORS = 2000;
const DAYS = 60;
const BATCH_SIZE = 500;
/** So many visitors are thought up in one turn of the event loop. */
const VISITORS_PER_TICK = 50;

const NOT_STARTED: DemoProgress = { state: 'none', sent: 0, total: 0, problem: null };

export class DemoData {
  readonly #deps: DemoDataDeps;
  readonly #runs = new Map<number, DemoProgress>();
  readonly #underWay = new Set<Promise<void>>();
  #isStopping = false;

  constructor(deps: DemoDataDeps) {
    this.#deps = deps;
  }

  /** Since this process started. */
  progress(projectId: number): DemoProgress {
    return this.#runs.get(projectId) ?? NOT_STARTED;
  }

  /** Begins, unless it is under way. */
  start(caller: Caller, project: Project): DemoProgress {
    const now = this.progress(project.id);
    if (now.state === 'running') return now;
    const run: DemoProgress = { state: 'running', sent: 0, total: 0, problem: null };
    this.#runs.set(project.id, run);
    const work = this.#load(caller, project, run).catch((err: unknown) => {
      this.#deps.log.error({ err }, 'demo data could not be loaded');
      run.state = 'failed';
      run.problem = err instanceof Error ? err.message : String(err);
    });
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
    return run;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#underWay);
  }

  async #load(caller: Caller, project: Project, run: DemoProgress): Promise<void> {
    const story = await this.#story();
    run.total = story.length;
    while (run.sent < story.length) {
      if (this.#isStopping) throw new Error('The server was stopped before everything was sent; load it again.');
      const batch = story.slice(run.sent, run.sent + BATCH_SIZE).map((event) => toWireEvent(project.id, event));
      await this.#deps.accept(project.id, batch);
      run.sent += batch.length;
    }
    // A cohort that is made before its persons are there would stay empty for a while.
    await this.#deps.whenProcessed();
    await createDemoObjects(this.#deps, caller, project);
    run.state = 'done';
  }

  /** In the order of time; thought up in slices, so that requests are answered in between. */
  async #story(): Promise<ToldEvent[]> {
    const stage = { now: this.#deps.clock.now(), days: DAYS };
    const story = demoClubEvents(stage);
    for (let visitor = 1; visitor <= VISITORS; visitor++) {
      story.push(...demoEventsOf(visitor, stage));
      if (visitor % VISITORS_PER_TICK === 0) await nextTurn();
    }
    return story.sort((a, b) => a.time - b.time);
  }
}
