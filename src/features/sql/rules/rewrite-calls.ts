/** Functions of PostHog's SQL that the engine has in another form. */
import type { Json } from '../../../core/json/json.ts';
import type { RewrittenName } from './functions.ts';
import { SqlRefusal } from './refusal.ts';
import {
  callNode,
  caseNode,
  castNode,
  equalsNode,
  isNode,
  operatorNode,
  type TreeNode,
  textNode,
} from './tree-nodes.ts';

type Rewrite = (args: readonly Json[], call: TreeNode) => TreeNode;

const startOf =
  (unit: string): Rewrite =>
  ([time = null]) =>
    callNode('date_trunc', [textNode(unit), time]);

const operator = (name: string, left: Json, right: Json): TreeNode =>
  callNode(name, [left, right], { is_operator: true });

/** On Sunday, as in insights; with an odd number after the time, on Monday. */
const startOfWeek: Rewrite = ([time = null, mode]) => {
  const number = mode === undefined ? 0 : constantOf(mode);
  if (typeof number !== 'number') throw new SqlRefusal('syntax', 'The mode of toStartOfWeek must be 0 or 1.');
  const monday = (of: Json): TreeNode => callNode('date_trunc', [textNode('week'), of]);
  if (number % 2 === 1) return monday(time);
  const day = callNode('to_days', [castNode(textNode('1'), 'INTEGER')]);
  return operator('-', monday(operator('+', time, day)), day);
};

const to =
  (type: string): Rewrite =>
  ([value = null]) =>
    castNode(value, type);

const countDistinct: Rewrite = (args, { filter = null }) => callNode('count', args, { distinct: true, filter });

const filtered =
  (name: string, more: { distinct?: boolean } = {}): Rewrite =>
  (args) =>
    callNode(name, args.slice(0, -1), { ...more, filter: args.at(-1) ?? null });

/** `JSONExtractString(text, 'a', 'b')`. */
const fromJson =
  (read: 'json_extract_string' | 'json_extract', type?: string): Rewrite =>
  ([text = null, ...keys]) => {
    const pointer = keys.map((key) => `/${escapePointer(constantText(key))}`).join('');
    const value = callNode(read, [text, textNode(pointer)]);
    return type === undefined ? castNode(value, 'VARCHAR') : castNode(value, type);
  };

export const escapePointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const constantOf = (node: Json): Json | undefined =>
  isNode(node) && isNode(node['value']) ? node['value']['value'] : undefined;

function constantText(node: Json): string {
  const value = constantOf(node);
  if (typeof value !== 'string') throw new SqlRefusal('syntax', 'The keys of a JSON function must be texts.');
  return value;
}

const isEmpty: Rewrite = ([value = null]) => equalsNode(callNode('length', [value]), castNode(textNode('0'), 'BIGINT'));

const REWRITES: Readonly<Record<RewrittenName, Rewrite>> = {
  uniq: countDistinct,
  uniqexact: countDistinct,
  groupuniqarray: (args, { filter = null }) => callNode('list', args, { distinct: true, filter }),
  isnull: (args) => operatorNode('OPERATOR_IS_NULL', args),
  isnotnull: (args) => operatorNode('OPERATOR_IS_NOT_NULL', args),
  uniqif: filtered('count', { distinct: true }),
  sumif: filtered('sum'),
  avgif: filtered('avg'),
  minif: filtered('min'),
  maxif: filtered('max'),
  tostartofminute: startOf('minute'),
  tostartofhour: startOf('hour'),
  tostartofday: startOf('day'),
  tostartofweek: startOfWeek,
  tostartofmonth: startOf('month'),
  tostartofquarter: startOf('quarter'),
  tostartofyear: startOf('year'),
  todate: to('DATE'),
  todatetime: to('TIMESTAMP'),
  tostring: to('VARCHAR'),
  toint: to('BIGINT'),
  tofloat: to('DOUBLE'),
  tobool: to('BOOLEAN'),
  touuid: to('UUID'),
  multiif: (args) => {
    if (args.length < 3 || args.length % 2 === 0) {
      throw new SqlRefusal('syntax', 'multiIf takes pairs of a condition and a value, and a last value.');
    }
    const checks = Array.from({ length: (args.length - 1) / 2 }, (_, i) => {
      const [when = null, then = null] = args.slice(i * 2);
      return [when, then] as const;
    });
    return caseNode(checks, args.at(-1) ?? null);
  },
  jsonextractstring: fromJson('json_extract_string'),
  jsonextractraw: fromJson('json_extract'),
  jsonextractint: fromJson('json_extract_string', 'BIGINT'),
  jsonextractfloat: fromJson('json_extract_string', 'DOUBLE'),
  jsonextractbool: fromJson('json_extract_string', 'BOOLEAN'),
  empty: isEmpty,
  notempty: (args, call) => operatorNode('OPERATOR_NOT', [isEmpty(args, call)]),
};

export function rewriteCall(name: RewrittenName, call: TreeNode): TreeNode {
  const args = (call['children'] ?? []) as Json[];
  return { ...REWRITES[name](args, call), alias: call['alias'] ?? '' };
}
