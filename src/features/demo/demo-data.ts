/**
 * Loads demo data: two months of events of a small fictional product, with flags, a cohort and a dashboard. Events are
 * ingested like all others. Loading it again adds only what is new since then. Removing it deletes the persons, their
 * events, and everything that was created.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from '../../access/callers.ts';
import { recordActivity } from '../../access/record-activity.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import { createDemoObjects, type DemoObjectsDeps } from './demo-objects.ts';
import { removeDemoObjects } from './remove-demo-objects.ts';
import { type DemoEvent, demoClubEvents, demoEventsOf, toWireEvent } from './rules/demo-events.ts';
import { demoDevice } from './rules/demo-visitor.ts';

interface DemoDataDeps extends DemoObjectsDeps {
  /** Resolves when the events are on disk. */
  accept(projectId: number, events: readonly JsonObject[]): Promise<void>;
  /** Resolves when accepted events are processed, or when that takes too long. */
  whenProcessed(): Promise<unknown>;
  /** Deletes the persons with these distinct IDs, and their events. */
  deletePersons(projectId: number, distinctIds: readonly string[], onProgress: (done: number) => void): Promise<void>;
  log: { error(fields: object, words: string): void };
}

export interface DemoProgress {
  state: 'none' | 'running' | 'done' | 'failed' | 'removing' | 'removed';
  /** Events sent so far, and in total; while it is removed, visitors. */
  sent: number;
  total: number;
  problem: string | null;
}

const VISITORS = 2000;
const DAYS = 60;
const BATCH_SIZE = 500;
/** Visitors generated in one turn of the event loop. */
const VISITORS_PER_TICK = 50;

const DEMO_SCOPE = 'DemoData';

const NOT_STARTED: DemoProgress = { state: 'none', sent: 0, total: 0, problem: null };

export class DemoData {
  readonly #deps: DemoDataDeps;
  readonly #runs = new Map<number, DemoProgress>();
  readonly #running = new Set<Promise<void>>();
  #isStopping = false;

  constructor(deps: DemoDataDeps) {
    this.#deps = deps;
  }

  /** Since this process started. */
  progress(projectId: number): DemoProgress {
    return this.#runs.get(projectId) ?? NOT_STARTED;
  }

  /** Does nothing while it is running. */
  start(caller: Caller, project: Project): DemoProgress {
    return this.#run(project, 'running', (run) => this.#load(caller, project, run));
  }

  /** Does nothing while it is running. */
  remove(caller: Caller, project: Project): DemoProgress {
    return this.#run(project, 'removing', (run) => this.#remove(caller, project, run));
  }

  #run(project: Project, state: 'running' | 'removing', act: (run: DemoProgress) => Promise<void>): DemoProgress {
    const now = this.progress(project.id);
    if (now.state === 'running' || now.state === 'removing') return now;
    const run: DemoProgress = { state, sent: 0, total: 0, problem: null };
    this.#runs.set(project.id, run);
    const work = act(run).catch((err: unknown) => {
      this.#deps.log.error({ err }, 'demo data could not be loaded or removed');
      run.state = 'failed';
      run.problem = err instanceof Error ? err.message : String(err);
    });
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
    return run;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#running);
  }

  async #load(caller: Caller, project: Project, run: DemoProgress): Promise<void> {
    const removals = await this.#countRemovals(project);
    const events = await this.#generate();
    run.total = events.length;
    while (run.sent < events.length) {
      if (this.#isStopping) throw new Error('The server was stopped before everything was sent; load it again.');
      const batch = events
        .slice(run.sent, run.sent + BATCH_SIZE)
        .map((event) => toWireEvent(project.id, removals, event));
      await this.#deps.accept(project.id, batch);
      run.sent += batch.length;
    }
    // A cohort that is created before its persons would stay empty for a while.
    await this.#deps.whenProcessed();
    await createDemoObjects(this.#deps, caller, project);
    run.state = 'done';
  }

  /** The activity comes first: if the rest fails halfway, what is loaded afterwards is complete. */
  async #remove(caller: Caller, project: Project, run: DemoProgress): Promise<void> {
    const { organizationId, id: projectId } = project;
    await recordActivity(this.#deps, this.#deps.metadata, {
      organizationId,
      projectId,
      userId: caller.user.id,
      scope: DEMO_SCOPE,
      itemId: String(projectId),
      name: project.name,
      activity: 'deleted',
      changes: null,
    });
    await removeDemoObjects(this.#deps, caller, project);
    await this.#deps.whenProcessed();
    const visitors = Array.from({ length: VISITORS }, (_, index) => demoDevice(index + 1));
    run.total = visitors.length;
    await this.#deps.deletePersons(projectId, visitors, (done) => {
      if (this.#isStopping) throw new Error('The server was stopped before everything was removed; remove it again.');
      run.sent = done;
    });
    run.state = 'removed';
  }

  async #countRemovals({ organizationId, id: projectId }: Project): Promise<number> {
    const about = { organizationId, projectId, scope: DEMO_SCOPE };
    return (await this.#deps.metadata.activity.list(about, { limit: 1, offset: 0 })).count;
  }

  /** In the order of time; generated in slices, so that requests are answered in between. */
  async #generate(): Promise<DemoEvent[]> {
    const period = { now: this.#deps.clock.now(), days: DAYS };
    const events = demoClubEvents(period);
    for (let visitor = 1; visitor <= VISITORS; visitor++) {
      events.push(...demoEventsOf(visitor, period));
      if (visitor % VISITORS_PER_TICK === 0) await nextTurn();
    }
    return events.sort((a, b) => a.time - b.time);
  }
}
