/** Distinguishes unknown paths from methods that a path does not support. */
export class KnownRoutes {
  readonly #routes: { url: string; segments: string[]; method: string }[] = [];
  /** By the URL of a route, the paths of others with fewer parameters that it matches, too. Asked at every request. */
  readonly #moreSpecific = new Map<string, string[][]>();

  add(url: string, methods: string | string[]): void {
    this.#moreSpecific.clear();
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
    const others = this.#moreSpecific.get(url) ?? this.#findMoreSpecific(split(url));
    this.#moreSpecific.set(url, others);
    if (others.length === 0) return false;
    const segments = split(path);
    return others.some((other) => matches(other, segments));
  }

  #findMoreSpecific(pattern: string[]): string[][] {
    const params = countParams(pattern);
    return this.#routes
      .map(({ segments }) => segments)
      .filter((segments) => countParams(segments) < params && canBoth(segments, pattern));
  }
}

/** Whether some path matches both. */
const canBoth = (a: string[], b: string[]): boolean =>
  a.length === b.length && a.every((segment, at) => isParam(segment) || isParam(b[at] ?? '') || segment === b[at]);

const isParam = (segment: string): boolean => segment.startsWith(':') || segment === '*';

const countParams = (segments: string[]): number => segments.filter(isParam).length;

const split = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

const matches = (pattern: string[], path: string[]): boolean =>
  pattern.length === path.length && pattern.every((segment, index) => isParam(segment) || segment === path[index]);
