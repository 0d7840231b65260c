/** Who watches which project's events as they are stored: the main thread's side of `LiveEventPublisher`. */
import type { LiveEvent } from './live-event-publisher.ts';

type Watcher = (event: LiveEvent) => void;

export class LiveEventSubscriptions {
  readonly #watch: (projectIds: number[]) => Promise<void>;
  readonly #watchers = new Map<number, Set<Watcher>>();

  constructor(watch: (projectIds: number[]) => Promise<void>) {
    this.#watch = watch;
  }

  /** Returns the function that ends the subscription. */
  async subscribe(projectId: number, watcher: Watcher): Promise<() => Promise<void>> {
    const watchers = this.#watchers.get(projectId) ?? new Set();
    watchers.add(watcher);
    this.#watchers.set(projectId, watchers);
    const stop = async (): Promise<void> => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(projectId) === watchers) this.#watchers.delete(projectId);
      await this.syncProjects();
    };
    try {
      await this.syncProjects();
    } catch (error) {
      await stop().catch(() => undefined);
      throw error;
    }
    return stop;
  }

  /** Tells the worker which projects are watched: after every change, and when a worker has started. */
  async syncProjects(): Promise<void> {
    await this.#watch([...this.#watchers.keys()]);
  }

  publish(events: readonly LiveEvent[]): void {
    for (const event of events) {
      for (const watcher of this.#watchers.get(event.projectId) ?? []) watcher(event);
    }
  }
}
