/** Leaves out flags whose conditions refer to something that is neither in the project nor imported with them. */
import type { Json } from '../../../../core/json/json.ts';
import type { PortableCohort } from '../portable-cohort.ts';
import type { PortableFlag } from '../portable-flag.ts';
import { type IdsByName, namesToIds } from '../references.ts';

interface ResolvedImport {
  flags: PortableFlag[];
  /** Those that the flags need and that the project does not have: one with the same name is used as it is. */
  cohorts: PortableCohort[];
  missing: { key: string; why: string }[];
}

export function resolveReferences(
  given: readonly PortableFlag[],
  cohorts: readonly PortableCohort[],
  ids: IdsByName,
): ResolvedImport {
  const creatable = new Map(
    cohorts.filter(({ name, is_static: isStatic }) => !isStatic && !ids.cohort.has(name)).map((one) => [one.name, one]),
  );
  const missing: ResolvedImport['missing'] = [];
  let flags = [...given];
  // Again, because others may depend on what was left out.
  for (let count = -1; count !== flags.length; ) {
    count = flags.length;
    const keys = new Set(flags.map(({ key }) => key));
    flags = flags.filter(({ key, filters }) => {
      const why = findProblem(filters, { creatable, keys, ids }, []);
      if (why !== null) missing.push({ key, why });
      return why === null;
    });
  }
  const needed = new Set<string>();
  for (const { filters } of flags) addCohorts(filters, creatable, ids, needed);
  return { flags, cohorts: [...creatable.values()].filter(({ name }) => needed.has(name)), missing };
}

interface Known {
  creatable: ReadonlyMap<string, PortableCohort>;
  keys: ReadonlySet<string>;
  ids: IdsByName;
}

function findProblem(value: Json, known: Known, path: readonly string[]): string | null {
  for (const { kind, name, found } of namesToIds(value, known.ids).references) {
    if (found === 1 || (kind === 'flag' && known.keys.has(name))) continue;
    const called = `the ${kind.replace('_', ' ')} "${name}"`;
    if (found > 1) return `${called} is there ${found} times in the project`;
    const cohort = kind === 'cohort' ? known.creatable.get(name) : undefined;
    if (cohort === undefined) return `${called} is not in the project`;
    if (path.includes(name)) return `${called} refers to itself`;
    const problem = findProblem(cohort.filters, known, [...path, name]);
    if (problem !== null) return problem;
  }
  return null;
}

function addCohorts(value: Json, creatable: Known['creatable'], ids: IdsByName, needed: Set<string>): void {
  for (const { kind, name } of namesToIds(value, ids).references) {
    const cohort = kind === 'cohort' && !needed.has(name) ? creatable.get(name) : undefined;
    if (cohort === undefined) continue;
    needed.add(name);
    addCohorts(cohort.filters, creatable, ids, needed);
  }
}
