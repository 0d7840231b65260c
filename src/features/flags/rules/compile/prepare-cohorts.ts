import type { CohortDefinition } from '../flag.ts';
import { addInputs, MAX_DEFINITION_DEPTH, noInputs } from './check.ts';
import { type CompiledCohort, compileCohort } from './compile-cohort.ts';
import { orderByDependency } from './order-by-dependency.ts';
import type { PreparedCohort } from './prepared-flags.ts';
import { isSameJson } from './read-definition.ts';
import type { CompileCache } from './shared-checks.ts';

/** Never throws. An invalid cohort, or one that refers to an invalid one, has a failure. */
export function prepareCohorts(
  definitions: readonly CohortDefinition[],
  cache: CompileCache,
  previous?: ReadonlyMap<number, PreparedCohort>,
): Map<number, PreparedCohort> {
  const compiled = definitions.map((definition) => {
    const before = previous?.get(definition.id)?.compiled;
    return before && isSame(before.definition, definition) ? before : compileCohort(definition, cache);
  });
  const indexes = new Map(definitions.map(({ id }, index) => [id, index]));
  const { order, inCycle } = orderByDependency(
    compiled.map(({ inputs }) => [...inputs.cohorts].flatMap((id) => indexes.get(id) ?? [])),
  );
  const prepared = new Map<number, PreparedCohort>();
  const depths = new Map<number, number>();
  for (const index of order) {
    const cohort = compiled[index];
    if (cohort !== undefined) prepared.set(cohort.definition.id, prepareCohort(cohort, prepared, depths));
  }
  for (const [index, cohort] of compiled.entries()) {
    const { id } = cohort.definition;
    if (inCycle.has(index)) prepared.set(id, failing(cohort, `cohort ${id} refers to itself in a loop`));
  }
  return prepared;
}

const isSame = (left: CohortDefinition, right: CohortDefinition): boolean =>
  left.isStatic === right.isStatic && isSameJson(left.filters, right.filters) && isSameJson(left.groups, right.groups);

/** It reads nothing. */
const failing = (compiled: CompiledCohort, failure: string): PreparedCohort => ({
  compiled,
  inputs: noInputs(),
  failure,
  check: () => false,
});

/** The cohorts that it refers to are prepared already. */
function prepareCohort(
  compiled: CompiledCohort,
  prepared: ReadonlyMap<number, PreparedCohort>,
  depths: Map<number, number>,
): PreparedCohort {
  if (compiled.failure !== null) return failing(compiled, compiled.failure);
  const { id } = compiled.definition;
  const inputs = noInputs();
  addInputs(inputs, compiled.inputs);
  let depth = 0;
  for (const otherId of compiled.inputs.cohorts) {
    const other = prepared.get(otherId);
    if (other === undefined) return failing(compiled, `cohort ${otherId} does not exist`);
    if (other.failure !== null) return failing(compiled, other.failure);
    addInputs(inputs, other.inputs);
    depth = Math.max(depth, 1 + (depths.get(otherId) ?? 0));
  }
  depths.set(id, depth);
  if (depth > MAX_DEFINITION_DEPTH) return failing(compiled, `cohort ${id} is nested too deeply`);
  return { compiled, inputs, failure: null, check: compiled.check };
}
