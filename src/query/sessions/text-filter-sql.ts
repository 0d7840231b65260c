import type { ChannelRuleItem } from '../../core/web/web-settings.ts';
import type { SqlBuilder } from '../../stores/events/dialect.ts';

interface TextFilter {
  operator: ChannelRuleItem['op'];
  values: readonly string[];
}

export interface TextFilterScope {
  sql: SqlBuilder;
  /** Patterns that the engine accepts; others match nothing. */
  patterns: ReadonlySet<string>;
}

/** The word of tables for values that are not there. */
export const NO_VALUE = '(none)';

/** A filter on a text, which is empty where there is no value. True or false, never null. */
export function textFilterSql(scope: TextFilterScope, text: string, { operator, values }: TextFilter): string {
  switch (operator) {
    case 'is_set':
      return `(${text} <> '')`;
    case 'is_not_set':
      return `(${text} = '')`;
    case 'exact':
      return oneOf(scope, text, values);
    case 'is_not':
      return `(not ${oneOf(scope, text, values)})`;
    case 'icontains':
      return contains(scope, text, values);
    case 'not_icontains':
      return `(not ${contains(scope, text, values)})`;
    case 'regex':
      return anyOf(values.filter((one) => scope.patterns.has(one)).map((one) => scope.sql.matches(text, one)));
    case 'not_regex':
      // With an invalid pattern it is unknown what should be left out, so nothing matches.
      if (values.some((one) => !scope.patterns.has(one))) return 'false';
      return `(not ${anyOf(values.map((one) => scope.sql.matches(text, one)))})`;
  }
}

const anyOf = (conditions: readonly string[]): string =>
  conditions.length === 0 ? 'false' : `(${conditions.join(' or ')})`;

const oneOf = ({ sql }: TextFilterScope, text: string, values: readonly string[]): string =>
  values.length === 0
    ? 'false'
    : `(${text} in (${values.map((value) => sql.param(value === NO_VALUE ? '' : value)).join(', ')}))`;

const contains = ({ sql }: TextFilterScope, text: string, values: readonly string[]): string =>
  anyOf(values.map((value) => sql.containsIgnoringCase(text, value)));
