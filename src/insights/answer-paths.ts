/**
 * The ways that people take. The engine gathers each person's items in order; what is a path, and which part of it is
 * shown, is decided by the rules of `core/insights/paths`.
 */
import type { PathEdge } from '../core/insights/answers/answers.ts';
import { compareText } from '../core/insights/answers/assemble-trends.ts';
import type { PathItem } from '../core/insights/answers/cut-path.ts';
import { spanOf } from '../core/insights/funnel/journey.ts';
import { cleanItem } from '../core/insights/paths/path-items.ts';
import { EdgeCounter, isTaken, pathCutter } from '../core/insights/paths/path-steps.ts';
import type { PathsPeopleQuestion, PathsQuestion } from '../core/insights/questions/question.ts';
import { isWithin, type Range } from '../core/insights/time/range.ts';
import { replacePattern } from '../lib/search-pattern.ts';
import type { InsightSql } from '../stores/dialect.ts';
import { selectedEntrants } from './answer-funnel.ts';
import { type AskedDeps, AskedEvents, actorColumn } from './asked-events.ts';
import { orderedText, readOrdered } from './ordered-texts.ts';
import { slicesOf } from './sliced.ts';

export async function answerPaths(deps: AskedDeps, projectId: number, question: PathsQuestion): Promise<PathEdge[]> {
  const counter = new EdgeCounter();
  for await (const { paths } of personPaths(deps, projectId, question)) for (const path of paths) counter.add(path);
  return counter.answer(question);
}

export async function pathsPeople(
  deps: AskedDeps,
  projectId: number,
  question: PathsPeopleQuestion,
): Promise<string[]> {
  const people: string[] = [];
  for await (const { person, paths } of personPaths(deps, projectId, question.paths)) {
    if (paths.some((path) => isTaken(question, path))) people.push(person);
  }
  return people.sort(compareText);
}

interface PersonPaths {
  person: string;
  paths: readonly (readonly PathItem[])[];
}

async function* personPaths(deps: AskedDeps, projectId: number, question: PathsQuestion): AsyncGenerator<PersonPaths> {
  const asked = await AskedEvents.prepare(deps, projectId, [question.filter], question.range);
  const spans = await spansOf(deps, projectId, question);
  const clean = itemCleaner(question);
  const cut = pathCutter(question);
  for await (const { person, items } of personItems(deps, asked, question)) {
    const span = spans?.get(person);
    if (spans !== null && span === undefined) continue;
    const own = span === undefined ? items : items.filter(({ at }) => isWithin(at, span));
    yield { person, paths: cut(own.map(({ item, at }) => ({ item: clean(item), at }))) };
  }
}

/** When the paths of those who are at a step of a funnel begin and end; null where any path counts. */
async function spansOf(
  deps: AskedDeps,
  projectId: number,
  { funnel }: PathsQuestion,
): Promise<Map<string, Range> | null> {
  if (funnel === null) return null;
  const spans = new Map<string, Range>();
  for await (const { actor, attempts } of selectedEntrants(deps, projectId, funnel.people)) {
    const span = spanOf(funnel.path, funnel.people, attempts);
    if (span !== null) spans.set(actor, span);
  }
  return spans;
}

const REMEMBERED = 10_000;

/** The same items come again and again: each is cleaned once. */
function itemCleaner(question: PathsQuestion): (item: string) => string {
  const known = new Map<string, string>();
  return (item) => {
    const before = known.get(item);
    if (before !== undefined) return before;
    const cleaned = cleanItem(question, item, replacePattern);
    if (known.size >= REMEMBERED) known.clear();
    known.set(item, cleaned);
    return cleaned;
  };
}

interface PersonItems {
  person: string;
  /** In the order of time. */
  items: readonly PathItem[];
}

async function* personItems(deps: AskedDeps, asked: AskedEvents, question: PathsQuestion): AsyncGenerator<PersonItems> {
  const counting = deps.dialect.begin('e');
  const [counted] = await deps.events.query(
    `select count(*) as n from (${itemsSql(counting, asked, question)}) d`,
    counting.values,
  );
  for await (const { at: slice, count } of slicesOf(Number(counted?.['n'] ?? 0))) {
    const sql = deps.dialect.begin('e');
    const rows = await deps.events.query(
      `select d.person as person, ${sql.jsonList(orderedText('d.at', 'd.uuid', ['d.item']))} as items
      from (${itemsSql(sql, asked, question)}) d
      where ${sql.slice('d.person', count)} = ${sql.param(slice)}
      group by d.person`,
      sql.values,
    );
    for (const row of rows) {
      const items = readOrdered(row['items']).map(({ at, rest }) => ({ item: rest, at }));
      yield { person: String(row['person']), items };
    }
  }
}

function itemsSql(sql: InsightSql, asked: AskedEvents, question: PathsQuestion): string {
  return `select ${actorColumn({ kind: 'person' })} as person, ${sql.millis('e.timestamp')} as at, e.uuid as uuid,
      ${itemSql(sql)} as item
    ${asked.source(sql, { kind: 'person' }, question.range)}
      and ${includedSql(sql, question)} and ${asked.holds(sql, question.filter)}`;
}

/** Where an event led: an address without its last slash, a screen, or itself. */
function itemSql(sql: InsightSql): string {
  const url = `coalesce(${sql.property('$current_url')}, '')`;
  const address = `case when length(${url}) > 1 and right(${url}, 1) = '/' then left(${url}, length(${url}) - 1) else ${url} end`;
  return `case e.event when '$pageview' then ${address}
    when '$screen' then coalesce(${sql.property('$screen_name')}, '') else e.event end`;
}

function includedSql(sql: InsightSql, { eventTypes, customEvents }: PathsQuestion): string {
  if (eventTypes.length === 0 && customEvents.length === 0) return 'true';
  const kinds = eventTypes.map((type) =>
    type === 'custom_event' ? `left(e.event, 1) <> '$'` : `e.event = ${sql.param(type)}`,
  );
  return `(${[...kinds, ...customEvents.map((name) => `e.event = ${sql.param(name)}`)].join(' or ')})`;
}
