/** What expressions read besides the events themselves. */

import type { Breakdown } from '../../core/actions/breakdown.ts';
import { readText } from '../../core/expressions/check-expression.ts';
import { type Property, partsOf, type TypedExpression } from '../../core/expressions/typed-expression.ts';
import { expressionFiltersIn, type Filter } from '../../core/filters/property-filter.ts';

/** Whether an expression reads the person's properties, or when they were created. */
export const readsPersonRows = (expression: TypedExpression): boolean =>
  partsOf(expression).some(
    (part) =>
      (part.kind === 'property' && part.owner === 'person') ||
      (part.kind === 'column' && part.name === 'person_created_at'),
  );

/** Whether an expression is about the person of an event. */
export const readsPerson = (expression: TypedExpression): boolean =>
  readsPersonRows(expression) ||
  partsOf(expression).some((part) => part.kind === 'column' && part.name === 'person_id');

export const groupPropertiesIn = (expressions: readonly TypedExpression[]): Property[] =>
  expressions
    .flatMap(partsOf)
    .filter((part) => part.kind === 'property')
    .filter(({ owner }) => owner === 'group');

export const patternsInExpression = (expression: TypedExpression): string[] =>
  partsOf(expression).flatMap((part) =>
    part.kind === 'operation' && part.name === 'matches' ? [String(part.option)] : [],
  );

export const conditionsIn = (filter: Filter): TypedExpression[] =>
  expressionFiltersIn(filter).map(({ condition }) => condition);

/** The expressions that a breakdown splits by. */
export const breakdownExpressions = (breakdown: Breakdown | null | undefined): TypedExpression[] =>
  breakdown?.kind === 'property' && breakdown.owner === 'hogql'
    ? breakdown.keys.map((key) => readText(key, 'events'))
    : [];
