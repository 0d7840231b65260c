/**
 * A site's numbers by plain loops over its events, as the guide defines them. Slow, and written from the definitions
 * alone, to be compared with the engines.
 */
import type { Range } from '../../src/core/time/range.ts';
import { isView, pathOf as sentPathOf, sessionOf as sessionId, text, textsOf } from './page-events.ts';
import { DAY, isWithin, MINUTE } from './time.ts';
import type { World, WorldEvent } from './world.ts';

/** The rules that recorded cases test by themselves. */
export interface WebRules {
  channel(view: Record<string, string>): string;
  source(view: Record<string, string>): string;
  campaign(view: Record<string, string>): string;
}

export interface WebAsk {
  range: Range;
  filters: readonly { key: string; operator: string; values: readonly string[] }[];
  includeBots: boolean;
  includeOwn: boolean;
  bounceSeconds: number;
}

interface Session {
  events: WorldEvent[];
  start: number;
  end: number;
  views: WorldEvent[];
  person: string | null;
  seconds: number;
  isBounce: boolean;
  values: Record<string, string>;
}

const isOfPage = (event: WorldEvent): boolean =>
  isView(event) || ['$current_url', '$pathname', '$screen_name'].some((key) => text(event, key) !== '');

const pathOf = (event: WorldEvent): string => sentPathOf(event) || '(none)';

const isBot = (event: WorldEvent): boolean => text(event, '$is_bot') === 'true';
const isOwn = (event: WorldEvent): boolean =>
  text(event, '$internal_visit') === 'true' || /^localhost(:\d+)?$/.test(text(event, '$host'));

function seenEvents(world: World, { range, includeBots, includeOwn }: WebAsk): WorldEvent[] {
  return world.events.filter((event) => {
    if (event.timestamp < range.from - 2 * DAY || event.timestamp >= range.until + 2 * DAY) return false;
    if (isView(event) && ((isBot(event) && !includeBots) || (isOwn(event) && !includeOwn))) return false;
    return sessionId(event) !== null || isOfPage(event);
  });
}

/** Lists of events, in order. */
function groupEvents(events: readonly WorldEvent[]): WorldEvent[][] {
  const byId = new Map<string, WorldEvent[]>();
  const open = new Map<string | null, WorldEvent[]>();
  const all: WorldEvent[][] = [];
  for (const event of events) {
    const id = sessionId(event);
    const own = id === null ? open.get(event.personId) : byId.get(id);
    const [first, last] = [own?.[0], own?.at(-1)];
    const goesOn =
      id !== null ||
      (first !== undefined &&
        last !== undefined &&
        event.timestamp - last.timestamp <= 30 * MINUTE &&
        event.timestamp - first.timestamp <= DAY);
    if (own !== undefined && goesOn) {
      own.push(event);
      continue;
    }
    const list = [event];
    all.push(list);
    if (id === null) open.set(event.personId, list);
    else byId.set(id, list);
  }
  return all;
}

const KNOWN = { device: '$device_type', browser: '$browser', os: '$os', country: '$geoip_country_code', host: '$host' };

function describe(events: WorldEvent[], ask: WebAsk, rules: WebRules): Session | null {
  const views = events.filter(isView);
  const [firstView, lastView] = [views[0], views.at(-1)];
  const [first, last] = [events[0], events.at(-1)];
  if (firstView === undefined || lastView === undefined || first === undefined || last === undefined) return null;
  const seconds = Math.min(86_400, Math.floor((last.timestamp - first.timestamp) / 1000));
  const hits = events.filter((event) => isView(event) || event.event === '$autocapture').length;
  const said = textsOf(firstView);
  const known = Object.entries(KNOWN).map(([key, property]) => [
    key,
    events.map((event) => text(event, property)).find((value) => value !== '') ?? '',
  ]);
  return {
    events,
    views,
    start: first.timestamp,
    end: last.timestamp,
    person: last.personId,
    seconds,
    isBounce: hits <= 1 && seconds < ask.bounceSeconds,
    values: {
      ...Object.fromEntries(known),
      channel: rules.channel(said),
      source: rules.source(said),
      utm_campaign: rules.campaign(said),
      entry: pathOf(firstView),
      exit: pathOf(lastView),
    },
  };
}

function holds(value: string, operator: string, values: readonly string[]): boolean {
  const isOne = values.includes(value === '' ? '(none)' : value);
  const isPart = values.some((part) => value.toLowerCase().includes(part.toLowerCase()));
  const results: Record<string, boolean> = {
    exact: isOne,
    is_not: !isOne,
    icontains: isPart,
    not_icontains: !isPart,
    is_set: value !== '',
    is_not_set: value === '',
  };
  return results[operator] ?? false;
}

const plain = (value: string): string => (value === '(none)' ? '' : value);

/** Whether a visitor is new is asked of each view, since a session may have several visitors. */
function passes(session: Session, { filters }: WebAsk): boolean {
  return filters.every(({ key, operator, values }) => {
    if (key === 'path') return true;
    return key === 'new' || holds(plain(session.values[key] ?? ''), operator, values);
  });
}

export function webNumbers(world: World, ask: WebAsk, rules: WebRules, tables: readonly string[]) {
  const { range } = ask;
  const early = new Set(
    world.events.filter((event) => isView(event) && event.timestamp < range.from).map(({ personId }) => personId),
  );
  const wanted = ask.filters.filter(({ key }) => key === 'new').map(({ values }) => values.includes('true'));
  const fitsNew = (person: string | null): boolean => wanted.every((isNew) => early.has(person) !== isNew);
  const sessions = groupEvents(seenEvents(world, ask)).flatMap((events) => describe(events, ask, rules) ?? []);
  const pathFilters = ask.filters.filter(({ key }) => key === 'path');
  const isAsked = (view: WorldEvent): boolean =>
    pathFilters.every(({ operator, values }) => holds(plain(pathOf(view)), operator, values));
  const passing = sessions.filter((session) => passes(session, ask) && session.views.some(isAsked));
  const counted = passing.filter(({ start, person }) => isWithin(start, range) && fitsNew(person));
  const views = passing
    .flatMap((session) => session.views)
    .filter((view) => isWithin(view.timestamp, range) && fitsNew(view.personId))
    .filter(isAsked);
  const visitors = new Set(views.map(({ personId }) => personId));
  const table = (key: string) => {
    const lists = new Map<string, (string | null)[]>();
    const add = (value: string, person: string | null): void => {
      lists.set(value, [...(lists.get(value) ?? []), person]);
    };
    if (key === 'page') for (const view of views) add(pathOf(view), view.personId);
    else for (const session of counted) add(session.values[key] || '(none)', session.person);
    const rows = [...lists].map(([value, persons]) => [value, new Set(persons).size, persons.length] as const);
    return rows.toSorted((a, b) => b[1] - a[1] || b[2] - a[2] || (a[0] < b[0] ? -1 : 1)).slice(0, 10);
  };
  const sum = (of: (session: Session) => number): number => counted.reduce((total, one) => total + of(one), 0);
  return {
    visitors: visitors.size,
    views: views.length,
    sessions: counted.length,
    bounces: sum(({ isBounce }) => (isBounce ? 1 : 0)),
    seconds: sum(({ seconds }) => seconds),
    newVisitors: [...visitors].filter((person) => !early.has(person)).length,
    viewsByDay: days(range).map(
      (from) => views.filter(({ timestamp }) => isWithin(timestamp, { from, until: from + DAY })).length,
    ),
    sessionsByDay: days(range).map(
      (from) => counted.filter(({ start }) => isWithin(start, { from, until: from + DAY })).length,
    ),
    tables: Object.fromEntries(tables.map((key) => [key, table(key)])),
    pages: Object.fromEntries(
      [...new Set(views.map(pathOf))].map((path) => [path, engagement(world, ask, path, counted)]),
    ),
  };
}

/** Only without filters: of everybody. */
function engagement(world: World, { range, includeBots, includeOwn }: WebAsk, path: string, counted: Session[]) {
  const told = world.events.filter(
    (event) =>
      ['$pageview', '$pageleave'].includes(event.event) &&
      isWithin(event.timestamp, range) &&
      (includeBots || !isBot(event)) &&
      (includeOwn || !isOwn(event)) &&
      text(event, '$prev_pageview_pathname') === path,
  );
  const numbers = (key: string): number[] =>
    told.map((event) => event.properties[key]).filter((value) => typeof value === 'number');
  const mean = (values: number[]): number | null =>
    values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length;
  return {
    exits: counted.filter(({ values }) => values['exit'] === path).length,
    timeOnPage: mean(numbers('$prev_pageview_duration').filter((one) => one >= 0 && one <= 86_400)),
    scrollDepth: mean(numbers('$prev_pageview_max_content_percentage').map((one) => Math.min(1, Math.max(0, one)))),
  };
}

const days = ({ from, until }: Range): number[] =>
  Array.from({ length: (until - from) / DAY }, (_, at) => from + at * DAY);
