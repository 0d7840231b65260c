/** A saved insight as a metric of an experiment: its events, actions and filters, measured for each entity. */
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';

interface NamedInsight {
  name: string;
  filters: JsonObject;
}

/** `given` is what was sent beside the id of the insight: name, goal and so on. */
export function metricOfInsight({ name, filters }: NamedInsight, given: JsonObject, attr: string): JsonObject {
  const { insight_id: _, ...sent } = given;
  const kind = String(filters['insight'] ?? 'TRENDS').toUpperCase();
  const asked = kind === 'TRENDS' ? trend(filters, sent, attr) : kind === 'FUNNELS' ? funnel(filters) : null;
  const found = asked ?? (kind === 'RETENTION' ? retention(filters) : null);
  if (found === null) throw invalid(attr, `An insight of the kind ${kind.toLowerCase()} cannot be a metric.`);
  return { kind: 'ExperimentMetric', name, ...found, ...sent };
}

/** Events and actions in their order, with the filters of the whole insight. */
function nodesOf(filters: JsonObject): JsonObject[] {
  const listed = (['actions', 'events'] as const).flatMap((type) => {
    const list = filters[type];
    return (Array.isArray(list) ? list : []).flatMap((item) => (isJsonObject(item) ? [{ ...item, type }] : []));
  });
  return listed
    .sort((a, b) => orderOf(a) - orderOf(b))
    .map((item) => ({ ...nodeOf(item, filters['properties'] ?? []), ...mathOf(item) }));
}

const orderOf = ({ order }: JsonObject): number => (typeof order === 'number' ? order : 0);

const nodeOf = (item: JsonObject, shared: Json): JsonObject => ({
  ...(item['type'] === 'actions'
    ? { kind: 'ActionsNode', id: item['id'] ?? null }
    : { kind: 'EventsNode', event: item['id'] ?? null }),
  properties: bothOf(item['properties'] ?? [], shared),
});

/** Both have to hold. Lists are joined; groups of filters are kept as they are. */
function bothOf(own: Json, shared: Json): Json {
  if (Array.isArray(own) && Array.isArray(shared)) return [...own, ...shared];
  const groups = [own, shared].filter((one) => (Array.isArray(one) ? one.length > 0 : isJsonObject(one)));
  return { type: 'AND', values: groups.map((one) => (Array.isArray(one) ? { type: 'AND', values: one } : one)) };
}

const mathOf = ({ math = 'total', math_property: property = null }: JsonObject): JsonObject => ({
  math: math ?? 'total',
  ...(property === null ? {} : { math_property: property }),
});

/** The first series, or the one that `series_index` names. Unique users become the share of people who do it. */
function trend(filters: JsonObject, sent: JsonObject, attr: string): JsonObject {
  const { series_index: index = 0 } = sent;
  const node = nodesOf(filters)[Number(index)];
  if (node === undefined) throw invalid(attr, 'This insight has no such series.');
  const { math, ...plain } = node;
  if (math === 'dau' || math === 'unique_group') return { metric_type: 'funnel', series: [plain] };
  return { metric_type: 'mean', source: node };
}

function funnel(filters: JsonObject): JsonObject {
  const { funnel_window_interval: window = 14, funnel_window_interval_unit: unit = 'day' } = filters;
  const series = nodesOf(filters).map(({ math: _, math_property: __, ...plain }) => plain);
  const windows = { conversion_window: Number(window), conversion_window_unit: unit };
  return { metric_type: 'funnel', series, funnel_order_type: filters['funnel_order_type'] ?? 'ordered', ...windows };
}

function retention(filters: JsonObject): JsonObject {
  const node = (name: string): JsonObject => {
    const given = filters[name];
    const item = isJsonObject(given) ? given : { id: '$pageview' };
    return nodeOf(item, filters['properties'] ?? []);
  };
  const unit = String(filters['period'] ?? 'Day').toLowerCase();
  return {
    metric_type: 'retention',
    start_event: node('target_entity'),
    completion_event: node('returning_entity'),
    retention_window_start: 1,
    retention_window_end: 1,
    retention_window_unit: unit,
    start_handling: 'first_seen',
  };
}
