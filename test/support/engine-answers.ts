/** Asks an engine any question, by the path that clients send it to. */
import type { JsonObject } from '../../src/core/json/json.ts';
import { KINDS, kindAt } from '../../src/features/insights/kinds.ts';
import type { QuestionContext } from '../../src/features/insights/rules/question.ts';
import { answerQuestion } from '../../src/features/insights/worker-methods.ts';
import type { EngineDeps } from './insight-store.ts';

const ALL = { limit: 1000, offset: 0 };

type Ask = (deps: EngineDeps, projectId: number, fields: JsonObject, context: QuestionContext) => Promise<unknown>;

/** By the end of the path. */
export const ASKS: Readonly<Record<string, Ask>> = Object.fromEntries(
  KINDS.flatMap(({ endpoint, people }): [string, Ask][] => [
    [
      `insights/${endpoint}`,
      (deps, id, fields, context) => answerQuestion(deps, id, kindAt(endpoint, fields).read(fields, context), ALL),
    ],
    [
      `persons/${people.path}`,
      (deps, id, fields, context) => answerQuestion(deps, id, people.read(fields, context), ALL),
    ],
  ]),
);

/** What a recorded case asks; undefined for those that are about something else. */
export function askOf(endpoint: string): Ask | undefined {
  const [, path = ''] = /((?:insights|persons?)\/[a-z/]+?)\/?$/.exec(endpoint) ?? [];
  return ASKS[path.replace(/^person\//, 'persons/')];
}

/** Sums of the same numbers in another order differ in their last digits. */
export const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, one) => (typeof one === 'number' ? Number(one.toPrecision(12)) : one));
