/** Parts of the engine's statement trees, as it writes them. */
import type { Json, JsonObject } from '../../../core/json/json.ts';

export type TreeNode = { [key: string]: Json };

const NOWHERE = 0;
const head = (kind: string, type = kind): TreeNode => ({ class: kind, type, alias: '', query_location: NOWHERE });

export const isNode = (value: Json | undefined): value is TreeNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const columnNode = (names: readonly string[]): TreeNode => ({ ...head('COLUMN_REF'), column_names: [...names] });

const constant = (id: string, value: Json): TreeNode => ({
  ...head('CONSTANT', 'VALUE_CONSTANT'),
  value: { type: { id, type_info: null }, is_null: false, value },
});

export const textNode = (text: string): TreeNode => constant('VARCHAR', text);
export const numberNode = (value: number): TreeNode => constant('BIGINT', value);

export const nullNode = (): TreeNode => ({
  ...head('CONSTANT', 'VALUE_CONSTANT'),
  value: { type: { id: 'NULL', type_info: null }, is_null: true },
});

export const callNode = (name: string, children: readonly Json[], more: JsonObject = {}): TreeNode => ({
  ...head('FUNCTION'),
  function_name: name,
  schema: '',
  children: [...children],
  filter: null,
  order_bys: { type: 'ORDER_MODIFIER', orders: [] },
  distinct: false,
  is_operator: false,
  export_state: false,
  catalog: '',
  ...more,
});

export const castNode = (child: Json, id: string): TreeNode => ({
  ...head('CAST', 'OPERATOR_CAST'),
  child,
  cast_type: { id, type_info: null },
  // A value that is no number is null, as in PostHog.
  try_cast: true,
});

export const caseNode = (checks: readonly (readonly [Json, Json])[], otherwise: Json): TreeNode => ({
  ...head('CASE', 'CASE_EXPR'),
  case_checks: checks.map(([when, then]) => ({ when_expr: when, then_expr: then })),
  else_expr: otherwise,
});

export const limitNode = (limit: number): TreeNode => ({
  type: 'LIMIT_MODIFIER',
  limit: numberNode(limit),
  offset: null,
});

export const operatorNode = (type: string, children: readonly Json[]): TreeNode => ({
  ...head('OPERATOR', type),
  children: [...children],
});

export const equalsNode = (left: Json, right: Json): TreeNode => ({
  ...head('COMPARISON', 'COMPARE_EQUAL'),
  left,
  right,
});
