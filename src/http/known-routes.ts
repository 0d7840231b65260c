/** Distinguishes unknown paths from methods that a path does not support. */
export class KnownRoutes {
  readonly #routes: { url: string; segments: string[]; method: string }[] = [];

  add(url: string, methods: string | string[]): void {
    for (const method of [methods].flat()) this.#routes.push({ url, segments: split(url), method });
  }

  /** All routes, in the OpenAPI document or not. */
  list(): { method: string; url: string }[] {
    return this.#routes.map(({ method, url }) => ({ method, url }));
  }

  /** Methods of the path; empty when there is no such path. */
  methodsFor(path: string): Set<string> {
    const segments = split(path);
    return new Set(this.#routes.filter((route) => matches(route.segments, segments)).map((route) => route.method));
  }

  /** Whether a route with fewer parameters matches: `/a/activity/` is not `/a/:id/`. */
  hasMoreSpecific(url: string, path: string): boolean {
    const segments = split(path);
    const params = countParams(split(url));
    return this.#routes.some((route) => countParams(route.segments) < params && matches(route.segments, segments));
  }
}

const countParams = (segments: string[]): number =>
  segments.filter((segment) => segment.startsWith(':') || segment === '*').length;

const split = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

const matches = (pattern: string[], path: string[]): boolean =>
  pattern.length === path.length &&
  pattern.every((segment, index) => segment.startsWith(':') || segment === '*' || segment === path[index]);
