/** The steps of an action: as text, as a query for events, and made from clicked elements. */
import type { ActionStep } from '../../api/actions.ts';
import type { Event } from '../../api/events.ts';
import { describeFilter, filtersToField, isComplete } from '../../lib/filters.ts';
import { eventLabel } from '../../lib/friendly-names.ts';
import { readFilters } from '../insights/read-question.ts';

export const AUTOCAPTURE = '$autocapture';

export const newStep = (): ActionStep => ({
  event: '',
  url: null,
  url_matching: 'contains',
  properties: [],
  tag_name: null,
  text: null,
  href: null,
  selector: null,
});

export const URL_OPTIONS = [
  { value: 'contains', label: 'contains' },
  { value: 'exact', label: 'equals' },
  { value: 'regex', label: 'matches regex' },
];

export const ELEMENT_FIELDS = [
  { name: 'text', label: 'Text', placeholder: 'Buy now' },
  { name: 'selector', label: 'CSS selector', placeholder: 'button.buy' },
  { name: 'href', label: 'Link target', placeholder: '/checkout' },
  { name: 'tag_name', label: 'Tag', placeholder: 'button' },
] as const;

/** 'Autocapture with text Buy now on a URL that contains /shop' */
export function describeStep(step: ActionStep): string {
  const elements = ELEMENT_FIELDS.flatMap(({ name, label }) =>
    step[name] ? [`${label.toLowerCase()} ${step[name]}`] : [],
  );
  const matching = URL_OPTIONS.find(({ value }) => value === step.url_matching)?.label ?? step.url_matching;
  const filters = readFilters(step.properties).filter(isComplete);
  return [
    step.event ? eventLabel(step.event) : 'Any event',
    step.event === AUTOCAPTURE && elements.length > 0 ? `with ${elements.join(' and ')}` : '',
    step.url ? `on a URL that ${matching} ${step.url}` : '',
    filters.length > 0 ? `where ${filters.map((one) => describeFilter(one)).join(' and ')}` : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** Only what is filled in, as the API takes it. */
export const cleanStep = (step: ActionStep): ActionStep => ({
  ...step,
  event: step.event?.trim() || null,
  url: step.url?.trim() || null,
  properties: filtersToField(readFilters(step.properties).filter(isComplete)),
  tag_name: step.tag_name?.trim() || null,
  text: step.text?.trim() || null,
  href: step.href?.trim() || null,
  selector: step.selector?.trim() || null,
});

const URL_OPERATORS: Record<string, string> = { contains: 'icontains', exact: 'exact', regex: 'regex' };

/** Parameters of the list of events that match a step which is not saved yet. */
export function eventQueryOf(given: ActionStep): { event: string; properties: string } {
  const step = cleanStep(given);
  const operator = URL_OPERATORS[step.url_matching] ?? 'icontains';
  const url = step.url === null ? [] : [{ type: 'event', key: '$current_url', operator, value: step.url }];
  const elements =
    step.event === AUTOCAPTURE
      ? ELEMENT_FIELDS.flatMap(({ name }) =>
          step[name] === null ? [] : [{ type: 'element', key: name, operator: 'exact', value: [step[name]] }],
        )
      : [];
  const own = Array.isArray(step.properties) ? step.properties : [step.properties];
  return { event: step.event ?? '', properties: JSON.stringify([...own, ...url, ...elements]) };
}

export interface ClickedElement {
  tag: string;
  text: string;
  href: string;
  /** The `id` attribute. */
  id: string;
  url: string;
  count: number;
}

/** What was clicked in these events, the most frequent first. */
export function clickedElements(events: readonly Pick<Event, 'elements' | 'properties'>[]): ClickedElement[] {
  const found = new Map<string, ClickedElement>();
  for (const { elements, properties } of events) {
    const [inner] = elements;
    if (!inner) continue;
    const { tag_name: tag, text, href, attr_id: id } = inner;
    const element = { tag: tag ?? '', text: text ?? '', href: href ?? '', id: id ?? '' };
    const key = JSON.stringify(element);
    const known = found.get(key) ?? { ...element, url: String(properties['$current_url'] ?? ''), count: 0 };
    found.set(key, { ...known, count: known.count + 1 });
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

/** As few conditions as tell the element apart, so that the action survives a new design. */
export function stepOfElement({ tag, text, href, id }: ClickedElement): ActionStep {
  const step = { ...newStep(), event: AUTOCAPTURE, tag_name: tag || null };
  if (text !== '') return { ...step, text };
  if (id !== '' && /^[A-Za-z][\w-]*$/.test(id)) return { ...step, selector: `#${id}` };
  return { ...step, href: href || null };
}
