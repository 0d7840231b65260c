/**
 * How many persons or groups a flag reaches, and whose value a change would alter. Every one of them is evaluated with
 * the evaluator that decides flags; nothing is estimated from samples.
 */
import { invalid } from '../../../core/errors.ts';
import type { Page } from '../../../stores/metadata/page.ts';
import type { StoredPerson } from '../../../stores/metadata/persons.ts';
import { prepareFlag } from '../rules/compile/prepare-flags.ts';
import type { PreparedFlags } from '../rules/compile/prepared-flags.ts';
import { evaluate } from '../rules/evaluate/evaluate.ts';
import type { FlagDefinition } from '../rules/flag.ts';
import type { FlagEvaluation } from '../rules/flag-evaluation.ts';
import type { Subject } from '../rules/subject.ts';
import { type Candidate, eachSubject, type SubjectScanDeps } from './each-subject.ts';
import type { FlagSnapshots } from './flag-snapshots.ts';

export interface BlastRadiusDeps extends SubjectScanDeps {
  flagSnapshots: Pick<FlagSnapshots, 'get'>;
}

interface Reach {
  /** How many get a value other than false. */
  affected: number;
  total: number;
}

type Value = FlagEvaluation['value'];

export interface ValueChange {
  /** The person, or the key of the group. */
  target: StoredPerson | string;
  /** Empty for a group. */
  distinctId: string;
  from: Value;
  to: Value;
}

export interface Impact extends Reach {
  /** Counts by old and new value, the most frequent first. */
  changes: { from: Value; to: Value; count: number }[];
  changed: number;
  /** One page of the persons or groups whose value changes. */
  changedPage: ValueChange[];
}

/** Null: there is no such flag, or it is off. */
type Version = FlagDefinition | null;

/** `isBucketed` false: the flag has no rollout percentage and no variants, so distinct ids need not be read. */
export async function measureReach(
  deps: BlastRadiusDeps,
  projectId: number,
  flag: FlagDefinition,
  isBucketed = true,
): Promise<Reach> {
  const { affected, total } = await measureImpact(deps, projectId, null, flag, { limit: 0, offset: 0 }, isBucketed);
  return { affected, total };
}

export async function measureImpact(
  deps: BlastRadiusDeps,
  projectId: number,
  before: Version,
  after: Version,
  page: Page,
  isBucketed = true,
): Promise<Impact> {
  const { prepared } = await deps.flagSnapshots.get(projectId);
  const valueBefore = evaluatorOf(prepared, before);
  const valueAfter = evaluatorOf(prepared, after);
  const counter = new ImpactCounter(page);
  const needs = mergedNeeds(
    [before, after].flatMap((flag) => (flag === null ? [] : prepareFlag(flag, prepared).needs)),
  );
  const scan = { projectId, needs, groupIndex: groupIndexOf(after ?? before), isBucketed };
  for await (const candidates of eachSubject(deps, scan)) {
    for (const { id, subject } of candidates) {
      counter.add(id, subject.distinctId, valueBefore(subject), valueAfter(subject));
    }
  }
  return { ...counter.totals(), changedPage: await withPersons(deps, projectId, counter.onPage) };
}

/** Persons that were deleted meanwhile are left out. */
async function withPersons(
  deps: BlastRadiusDeps,
  projectId: number,
  recorded: readonly RecordedChange[],
): Promise<ValueChange[]> {
  const ids = recorded.flatMap(({ id }) => (typeof id === 'number' ? [id] : []));
  const persons = new Map((await deps.metadata.persons.listByIds(projectId, ids)).map((person) => [person.id, person]));
  return recorded.flatMap(({ id, ...change }) => {
    const target = typeof id === 'number' ? persons.get(id) : id;
    return target === undefined ? [] : [{ ...change, target }];
  });
}

/** Without the stored person: most changes are only counted. */
interface RecordedChange extends Omit<ValueChange, 'target'> {
  id: Candidate['id'];
}

function evaluatorOf(among: PreparedFlags, flag: Version): (subject: Subject) => Value {
  if (flag === null) return () => false;
  const prepared = prepareFlag({ ...flag, active: true }, among);
  const only = new Set([flag.key]);
  return (subject) => {
    const [evaluation] = evaluate(prepared, subject, only);
    if (evaluation?.failure) throw invalid('filters', `The flag cannot be evaluated: ${evaluation.failure}.`);
    return evaluation?.value ?? false;
  };
}

/** The group type that the flag is for; null for persons. */
function groupIndexOf(flag: Version): number | null {
  const index = (flag?.filters as { aggregation_group_type_index?: unknown } | undefined)?.aggregation_group_type_index;
  return typeof index === 'number' ? index : null;
}

type Needs = PreparedFlags['needs'];

const mergedNeeds = (all: readonly Needs[]): Needs => ({
  personProperties: new Set(all.flatMap((needs) => [...needs.personProperties])),
  groupTypes: new Set(all.flatMap((needs) => [...needs.groupTypes])),
  staticCohorts: new Set(all.flatMap((needs) => [...needs.staticCohorts])),
  hasContinuity: all.some((needs) => needs.hasContinuity),
  hasPlace: all.some((needs) => needs.hasPlace),
  hasRelativeDates: all.some((needs) => needs.hasRelativeDates),
});

class ImpactCounter {
  readonly #page: Page;
  readonly #counts = new Map<string, Impact['changes'][number]>();
  readonly onPage: RecordedChange[] = [];
  #affected = 0;
  #total = 0;
  #changed = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  add(id: Candidate['id'], distinctId: string, from: Value, to: Value): void {
    this.#total++;
    if (to !== false) this.#affected++;
    if (from === to) return;
    const { limit, offset } = this.#page;
    if (this.#changed >= offset && this.onPage.length < limit) this.onPage.push({ id, distinctId, from, to });
    this.#changed++;
    const key = JSON.stringify([from, to]);
    const counted = this.#counts.get(key) ?? { from, to, count: 0 };
    this.#counts.set(key, { ...counted, count: counted.count + 1 });
  }

  totals(): Omit<Impact, 'changedPage'> {
    return {
      affected: this.#affected,
      total: this.#total,
      changes: [...this.#counts.values()].sort((a, b) => b.count - a.count),
      changed: this.#changed,
    };
  }
}
