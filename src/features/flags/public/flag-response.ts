/**
 * Decisions as JSON. A flag has few outcomes, each of them one shared object (`FlagOutcomes`), so the JSON of an outcome
 * is built once and a response only joins the pieces. Measured: a quarter of the time of `JSON.stringify`.
 */

import { stringifyExact } from '../../../core/json/exact-json.ts';
import type { Decision } from '../decide/decision.ts';
import { describeReason, type FlagEvaluation } from '../rules/flag-evaluation.ts';

export type DecideVersion = 1 | 2 | 3 | 4;

/** The members of the response that hold flags, in the shape of a version of `/decide/`. */
export function flagMembers({ evaluations, hasErrors }: Decision, version: DecideVersion): string {
  switch (version) {
    case 1:
      return `"featureFlags":[${join(evaluations, keyIfOn)}]`;
    case 2:
      return `"featureFlags":{${join(evaluations, memberIfOn)}}`;
    case 3:
      return valuesAndPayloads(evaluations, hasErrors);
    default:
      return `"flags":{${join(evaluations, detailOf)}},"errorsWhileComputingFlags":${hasErrors}`;
  }
}

/** In one loop, because this is the most requested version. */
function valuesAndPayloads(evaluations: readonly FlagEvaluation[], hasErrors: boolean): string {
  let values = '';
  let payloads = '';
  for (const one of evaluations) {
    if (one.reason === 'failed') continue;
    const { member, payload } = textOf(one);
    values = append(values, member);
    if (payload !== '') payloads = append(payloads, payload);
  }
  return `"featureFlags":{${values}},"featureFlagPayloads":{${payloads}},"errorsWhileComputingFlags":${hasErrors}`;
}

/** Drops the comma of the first piece here: dropping it from the joined text would copy all of it. */
const append = (joined: string, piece: string): string => (joined === '' ? piece.slice(1) : joined + piece);

/** The JSON of one outcome of a flag. Each piece begins with a comma, or is empty. */
interface OutcomeText {
  isOn: boolean;
  /** `,"key"` */
  key: string;
  /** `,"key":value` */
  member: string;
  /** `,"key":payload` */
  payload: string;
  /** `,"key":{…}`, with reason and metadata. */
  detail: string;
}

type Piece = (text: OutcomeText) => string;

const detailOf: Piece = ({ detail }) => detail;
const keyIfOn: Piece = ({ isOn, key }) => (isOn ? key : '');
const memberIfOn: Piece = ({ isOn, member }) => (isOn ? member : '');

function join(evaluations: readonly FlagEvaluation[], piece: Piece): string {
  let joined = '';
  for (const one of evaluations) joined = append(joined, piece(textOf(one)));
  return joined;
}

/** Weak, so that it goes with the snapshot that the outcomes belong to. */
const texts = new WeakMap<FlagEvaluation, OutcomeText>();

function textOf(evaluation: FlagEvaluation): OutcomeText {
  let text = texts.get(evaluation);
  if (text === undefined) {
    text = buildText(evaluation);
    texts.set(evaluation, text);
  }
  return text;
}

function buildText(evaluation: FlagEvaluation): OutcomeText {
  const { value, payload } = evaluation;
  const key = `,${JSON.stringify(evaluation.key)}`;
  const json = payload === undefined || payload === null ? 'null' : stringifyExact(payload);
  return {
    isOn: value !== false,
    key,
    member: `${key}:${JSON.stringify(value)}`,
    payload: json === 'null' ? '' : `${key}:${json}`,
    detail: `${key}:${detail(evaluation, json)}`,
  };
}

function detail(evaluation: FlagEvaluation, payload: string): string {
  const { key, value, reason, conditionIndex, id, version, hasExperiment = false } = evaluation;
  const variant = typeof value === 'string' ? value : null;
  const before = JSON.stringify({
    key,
    enabled: value !== false,
    variant,
    ...(reason === 'failed' ? { failed: true } : {}),
    reason: { code: reason, condition_index: conditionIndex, description: describeReason(reason, conditionIndex) },
  });
  const metadata = `{"id":${id},"version":${version},"description":null,"payload":${payload},"has_experiment":${hasExperiment}}`;
  return `${before.slice(0, -1)},"metadata":${metadata}}`;
}
