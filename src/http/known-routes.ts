/** Tells 'there is no such path' from 'there is, but not with this method'. */
export class KnownRoutes {
  readonly #routes: { segments: string[]; method: string }[] = [];

  add(url: string, methods: string | string[]): void {
    for (const method of [methods].flat()) this.#routes.push({ segments: split(url), method });
  }

  /** Methods that the path takes; empty when there is no such path. */
  methodsFor(path: string): Set<string> {
    const segments = split(path);
    return new Set(this.#routes.filter((route) => fits(route.segments, segments)).map((route) => route.method));
  }
}

const split = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

const fits = (pattern: string[], path: string[]): boolean =>
  pattern.length === path.length &&
  pattern.every((segment, index) => segment.startsWith(':') || segment === '*' || segment === path[index]);
