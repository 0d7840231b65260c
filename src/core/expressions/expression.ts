/**
 * Expressions in filters and breakdowns of type `hogql`: a subset of the language of that name. `parseExpression` reads
 * the text into the tree below, `checkExpression` finds the meaning of its names and the types of its values, and
 * `query/expressions/` writes that as SQL.
 */
import { type Failure, invalid } from '../errors.ts';

/** An expression as it was written, as plain data. Operators are calls too: `a = b` is `equals(a, b)`. */
export type Expression = Literal | Field | Call | ExpressionList | TimeSpan;

interface Placed {
  /** Where it begins in the text, in characters from 0. */
  at: number;
}

interface Literal extends Placed {
  kind: 'literal';
  value: string | number | boolean | null;
}

/** `properties.plan`, `properties['a key']`, `person.properties.address.city`, `properties.list[1]`, `event`. */
export interface Field extends Placed {
  kind: 'field';
  path: readonly (string | number)[];
}

export interface Call extends Placed {
  kind: 'call';
  name: string;
  args: readonly Expression[];
}

/** `(1, 2)` or `[1, 2]`, after `in`. */
export interface ExpressionList extends Placed {
  kind: 'list';
  items: readonly Expression[];
}

/** `interval 7 day` */
interface TimeSpan extends Placed {
  kind: 'interval';
  amount: number;
  unit: string;
}

export const MAX_EXPRESSION_LENGTH = 10_000;
export const MAX_EXPRESSION_DEPTH = 40;
export const MAX_EXPRESSION_NODES = 2000;

/** The part that was not understood, its place, and why. */
export const expressionError = (at: number, text: string, reason: string): Failure =>
  invalid(undefined, `The expression is not understood at character ${at + 1}, ${shown(text)}: ${reason}`);

const MAX_SHOWN = 40;

const shown = (text: string): string => {
  if (text === '') return 'its end';
  const characters = [...text.slice(0, MAX_SHOWN * 2)];
  return JSON.stringify(characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN).join('')}…` : text);
};
