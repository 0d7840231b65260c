import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../core/json/json.ts';
import type { CohortDefinition } from '../flag.ts';
import { expandCohort } from './expand-cohort.ts';
import { collectReferencedCohorts } from './referenced-cohorts.ts';

const pro = { key: 'plan', value: 'pro', type: 'person', operator: 'exact' };
const eu = { key: 'region', value: 'eu', type: 'person', operator: 'exact' };
const all = (...values: JsonObject[]): JsonObject => ({ type: 'AND', values });
const any = (...values: JsonObject[]): JsonObject => ({ type: 'OR', values });
const inCohort = (id: Json, over: JsonObject = {}): JsonObject => ({ key: 'id', value: id, type: 'cohort', ...over });
const flag = (...groups: JsonObject[]): JsonObject => ({ groups });
const aCohort = (id: number, tree: JsonObject, over: Partial<CohortDefinition> = {}): CohortDefinition => ({
  id,
  isStatic: false,
  filters: { properties: tree },
  groups: [],
  ...over,
});
const known = (...cohorts: CohortDefinition[]) => new Map(cohorts.map((cohort) => [cohort.id, cohort]));

describe('expanding a cohort into conditions', () => {
  const group = { properties: [inCohort(1)], rollout_percentage: 30 };

  it.each<[string, JsonObject, JsonObject[][]]>([
    ['one list', all(pro, eu), [[pro, eu]]],
    ['a choice of properties', any(pro, eu), [[pro], [eu]]],
    ['a choice of lists', any(all(pro, eu), all(eu)), [[pro, eu], [eu]]],
    ['lists within a list', all(all(pro), all(eu)), [[pro, eu]]],
    ['choices within a choice', any(any(pro), any(eu)), [[pro], [eu]]],
    ['a list of one choice', all(any(pro, eu)), [[pro], [eu]]],
    ['a list of choices of one', all(any(pro), any(eu)), [[pro, eu]]],
    ['no criteria, which everybody meets', any(), [[]]],
  ])('does %s', (_name, tree, branches) => {
    const expected = branches.map((properties) => ({ properties, rollout_percentage: 30 }));
    expect(expandCohort(flag(group), known(aCohort(1, tree)))).toEqual({ groups: expected });
  });

  it.each([true, null, '', ' 1', '1.0', '0x1', '1e0', 1.5, [1], -1])('reads no cohort id in %j', (id) => {
    const filters = flag({ properties: [inCohort(id)], rollout_percentage: 30 });
    const cohorts = known(aCohort(1, all(pro)), aCohort(0, all(pro)));
    expect(expandCohort(filters, cohorts)).toEqual(filters);
    expect(collectReferencedCohorts([filters], cohorts)).toEqual({});
  });

  it('reads a cohort id in a text', () => {
    const filters = flag({ properties: [inCohort('1')] });
    expect(expandCohort(filters, known(aCohort(1, all(pro))))).toEqual({ groups: [{ properties: [pro] }] });
  });

  it('reads the old form of a cohort', () => {
    const cohort = aCohort(1, {}, { filters: {}, groups: [{ properties: [pro] }, { properties: [eu] }] });
    const groups = [pro, eu].map((property) => ({ properties: [property], rollout_percentage: 30 }));
    expect(expandCohort(flag(group), known(cohort))).toEqual({ groups });
  });

  it('leaves other conditions and the rest of the filters in their places', () => {
    const first = { properties: [pro], variant: 'a' };
    const filters = { ...flag(first, group), payloads: { true: 1 } };
    const groups = [first, { properties: [eu], rollout_percentage: 30 }];
    expect(expandCohort(filters, known(aCohort(1, all(eu))))).toEqual({ groups, payloads: { true: 1 } });
  });

  it.each<[string, JsonObject, CohortDefinition[]]>([
    ['a static cohort', flag(group), [aCohort(1, all(pro), { isStatic: true })]],
    ['an unknown cohort', flag(group), []],
    ['a list of choices', flag(group), [aCohort(1, all(any(pro, eu), any(eu, pro)))]],
    ['behaviour', flag(group), [aCohort(1, all({ key: 'signup', type: 'behavioral', value: 'performed_event' }))]],
    ['a cohort within', flag(group), [aCohort(1, all(inCohort(2))), aCohort(2, all(pro))]],
    ['a negated property', flag(group), [aCohort(1, all({ ...pro, negation: true }))]],
    ['a cohort not to be in', flag({ properties: [inCohort(1, { operator: 'not_in' })] }), [aCohort(1, all(pro))]],
    ['a cohort beside a property', flag({ properties: [inCohort(1), eu] }), [aCohort(1, all(pro))]],
    ['a variant override', flag({ ...group, variant: 'a' }), [aCohort(1, all(pro))]],
    ['two cohorts', flag(group, { properties: [inCohort(2)] }), [aCohort(1, all(pro)), aCohort(2, all(eu))]],
    ['one of two conditions', flag(group, { properties: [inCohort(1), eu] }), [aCohort(1, all(pro))]],
    ['an unknown kind of group', flag(group), [aCohort(1, { type: 'XOR', values: [pro] })]],
    ['filters without conditions', {}, [aCohort(1, all(pro))]],
    ['conditions that are none', { groups: 'x' }, [aCohort(1, all(pro))]],
  ])('leaves %s as it is', (_name, filters, cohorts) => {
    expect(expandCohort(filters, known(...cohorts))).toEqual(filters);
  });
});

describe('cohorts that flags ask for', () => {
  it('are all that are named, also by each other, but no static ones', () => {
    const cohorts = known(
      aCohort(1, all(pro, inCohort(2))),
      aCohort(2, any(inCohort(1), inCohort(3))),
      aCohort(3, all(), { isStatic: true }),
      aCohort(4, all(eu)),
    );
    expect(collectReferencedCohorts([flag({ properties: [inCohort(1), inCohort(9)] }), flag({})], cohorts)).toEqual({
      1: all(pro, inCohort(2)),
      2: any(inCohort(1), inCohort(3)),
    });
  });
});
