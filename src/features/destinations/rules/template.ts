/**
 * The body of a webhook: JSON in which texts name what to fill in, as `{event.properties.plan}`. Nothing is computed, so
 * a template cannot do anything but copy.
 */
import { invalid } from '../../../core/errors.ts';
import { stringifyExact } from '../../../core/json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';

const ROOTS = ['event', 'person', 'project'] as const;

/** What a template can name. */
export type TemplateValues = Readonly<Record<(typeof ROOTS)[number], Json>>;

/** `event`, `event.uuid`, `person.properties.plan`, `event.properties['a name with spaces']`. */
const PATH = /^[a-z]+(?:\.[\w$-]+|\['[^'\\]*'\]|\["[^"\\]*"\])*$/;
const STEP = /\.([\w$-]+)|\['([^']*)'\]|\["([^"]*)"\]/g;
/** `\{` is a brace of its own. */
const PLACEHOLDER = /\\\{|\{([^{}]*)\}/g;
const MAX_DEPTH = 20;
const MAX_LENGTH = 100_000;

/** Refuses a template that names something else, or that is meant to be run. */
export function checkTemplate(template: Json, attr: string): void {
  if (JSON.stringify(template).length > MAX_LENGTH) throw invalid(attr, `A body has at most ${MAX_LENGTH} characters.`);
  checkPart(template, attr, 0);
}

function checkPart(part: Json, attr: string, depth: number): void {
  if (depth > MAX_DEPTH) throw invalid(attr, `A body is at most ${MAX_DEPTH} levels deep.`);
  if (Array.isArray(part)) for (const item of part) checkPart(item, attr, depth + 1);
  else if (isJsonObject(part))
    for (const [name, value] of Object.entries(part)) {
      checkText(name, attr);
      checkPart(value, attr, depth + 1);
    }
  else if (typeof part === 'string') checkText(part, attr);
}

function checkText(text: string, attr: string): void {
  for (const [, path] of text.matchAll(PLACEHOLDER)) if (path !== undefined) checkPath(path, attr);
}

function checkPath(given: string, attr: string): void {
  const path = given.trim();
  const [root = ''] = path.split(/[.[]/, 1);
  if (PATH.test(path) && (ROOTS as readonly string[]).includes(root)) return;
  throw invalid(
    attr,
    `{${given.slice(0, 100)}} cannot be filled in. A template names event, person or project, such as ` +
      `{event.properties.plan} or {person.properties['first name']}; code is not run. Write \\{ for a brace.`,
    'unsupported',
  );
}

/** A text that is nothing but one placeholder becomes the value itself; within other text, values become text. */
export function renderTemplate(template: Json, values: TemplateValues): Json {
  if (typeof template === 'string') return renderText(template, values);
  if (Array.isArray(template)) return template.map((item) => renderTemplate(item, values));
  if (!isJsonObject(template)) return template;
  const entries = Object.entries(template).map(([name, value]): [string, Json] => [
    asText(renderText(name, values)),
    renderTemplate(value, values),
  ]);
  return Object.fromEntries(entries);
}

function renderText(text: string, values: TemplateValues): Json {
  const whole = /^\{([^{}]*)\}$/.exec(text);
  if (whole) return valueAt(whole[1] ?? '', values);
  return text.replaceAll(PLACEHOLDER, (found, path: string | undefined) =>
    path === undefined ? found.slice(1) : asText(valueAt(path, values)),
  );
}

const asText = (value: Json): string =>
  value === null ? '' : typeof value === 'object' ? stringifyExact(value) : String(value);

/** Null where there is nothing. */
function valueAt(given: string, values: TemplateValues): Json {
  const path = given.trim();
  const [root = ''] = path.split(/[.[]/, 1);
  let value: Json | undefined = Object.hasOwn(values, root) ? values[root as keyof TemplateValues] : null;
  for (const [, plain, single, double] of path.slice(root.length).matchAll(STEP)) {
    const name = plain ?? single ?? double ?? '';
    const holder: Json | undefined = value;
    value = isJsonObject(holder) && Object.hasOwn(holder, name) ? (holder as JsonObject)[name] : undefined;
  }
  return value ?? null;
}
