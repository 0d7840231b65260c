import type { TypedExpression } from '../../core/expressions/typed-expression.ts';
import { MAX_PATTERN_LENGTH } from '../../core/filters/compile-pattern.ts';
import { elementPatterns } from '../../core/filters/element-filter.ts';
import { type Filter, type PropertyFilter, propertyFiltersIn } from '../../core/filters/property-filter.ts';
import { conditionsIn, patternsInExpression } from '../expressions/expression-references.ts';
import type { EventStoreDeps } from '../query-deps.ts';

/** The patterns in a filter that the engine accepts. Found beforehand, because one invalid pattern fails a statement. */
export async function validPatterns(
  { events, dialect }: EventStoreDeps,
  filter: Filter,
  expressions: readonly TypedExpression[] = [],
): Promise<ReadonlySet<string>> {
  const ofExpressions = [...conditionsIn(filter), ...expressions].flatMap(patternsInExpression);
  const patterns = [...new Set([...propertyFiltersIn(filter).flatMap(patternsIn), ...ofExpressions])];
  if (patterns.length === 0) return new Set();
  const sql = dialect.newStatement();
  const columns = patterns.map((pattern, i) => `cast(${sql.isPattern(pattern)} as boolean) as p${i}`);
  const [row] = await events.query(`select ${columns.join(', ')}`, sql.values);
  return new Set(patterns.filter((_, i) => row?.[`p${i}`] === true));
}

/** Patterns over elements are written by us and contain what the user gave. */
function patternsIn(leaf: PropertyFilter): readonly string[] {
  const isPattern = leaf.operator === 'regex' || leaf.operator === 'not_regex';
  const isTooLong = isPattern && leaf.values.some((value) => value.length > MAX_PATTERN_LENGTH);
  if (leaf.owner === 'element') return isTooLong ? [] : elementPatterns(leaf);
  return isPattern ? leaf.values.filter((value) => value.length <= MAX_PATTERN_LENGTH) : [];
}
