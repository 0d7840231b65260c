import { describe, expect, it } from 'vitest';
import { isIllegalId } from './illegal-ids.ts';
import { orderDistinctIds, personName } from './person-name.ts';
import { type MergeKind, planMerge } from './plan-merge.ts';

describe('isIllegalId', () => {
  it.each([
    'anonymous',
    'Anonymous',
    'GUEST',
    "'false'",
    '"Undefined"',
    'NaN',
    '"NaN"',
    'None',
    'none',
    'null',
    '0',
    '',
    '  ',
    '[object Object]',
    '"[object Object]"',
    '{}',
    '{"id":7}',
    '[1]',
    `["${'x'.repeat(198)}`,
  ])('%s is illegal', (id) => {
    expect(isIllegalId(id)).toBe(true);
  });

  it.each(['Nan', 'nan', 'NULL', 'NONE', '00', 'anonymous1', 'me', '[object object]', "'a'", '[EU] me', '{018a981f}'])(
    '%s is legal',
    (id) => {
      expect(isIllegalId(id)).toBe(false);
    },
  );
});

describe('planMerge', () => {
  const plain = (uuid: string) => ({ uuid, isIdentified: false });
  const known = (uuid: string) => ({ uuid, isIdentified: true });

  it.each([
    [undefined, undefined, 'identify', 'create_with_both'],
    [known('s'), undefined, 'identify', 'add_target_id_to_source'],
    [undefined, known('t'), 'alias', 'add_source_id_to_target'],
    [known('x'), known('x'), 'alias', 'mark_identified'],
    [plain('s'), known('t'), 'identify', 'merge_source_into_target'],
    [plain('s'), plain('t'), 'alias', 'merge_source_into_target'],
    [known('s'), plain('t'), 'identify', 'refuse'],
    [known('s'), known('t'), 'alias', 'refuse'],
    [known('s'), known('t'), 'merge_dangerously', 'merge_source_into_target'],
  ] as const)('source %j, target %j by %s: %s', (source, target, kind: MergeKind, plan) => {
    expect(planMerge(source, target, kind)).toBe(plan);
  });
});

describe('personName', () => {
  const sdkId = '018a981f-4b2d-78ae-947b-bedbaa02a0f4';

  it.each([
    [{ email: 'a@b.c' }, ['id'], 'a@b.c'],
    [{ email: '' }, ['id'], 'id'],
    [{}, [sdkId, 'me'], 'me'],
    [{}, [sdkId], sdkId],
    [{}, [], '7'],
  ])('the name of %j with %j is %s', (properties, ids, name) => {
    expect(personName(properties, ids, 7)).toBe(name);
  });

  it('puts ids that SDKs generated last and keeps the order otherwise', () => {
    expect(orderDistinctIds([sdkId, 'b', 'a-b-c-d-e', 'a'])).toEqual(['b', 'a', sdkId, 'a-b-c-d-e']);
  });
});
