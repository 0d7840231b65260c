/** Metrics that an experiment takes from those that are saved for several. */
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { parseId } from '../../../core/parse-id.ts';
import { choice, listIn } from './read-fields.ts';

interface Saved {
  id: number;
  name: string;
  query: JsonObject;
}

interface SavedMetricUse {
  id: number;
  role: 'primary' | 'secondary';
  metadata: JsonObject;
}

const MAX_USES = 50;

/** `saved_metrics_ids`: `[{"id": 1, "metadata": {"type": "secondary"}}]`. */
export function readSavedMetricUses(settings: JsonObject): SavedMetricUse[] {
  const attr = 'saved_metrics_ids';
  const list = listIn(settings, attr);
  if (list.length > MAX_USES) throw invalid(attr, `An experiment has at most ${MAX_USES} metrics.`);
  return list.map((given, at) => {
    const use = isJsonObject(given) ? given : {};
    const id = parseId(use['id']);
    if (id === null) throw invalid(`${attr}__${at}`, 'A saved metric is named by its id: {"id": 1}.');
    const metadata = isJsonObject(use['metadata'] ?? null) ? (use['metadata'] as JsonObject) : {};
    return { id, role: choice(metadata, 'type', ['primary', 'secondary'], `${attr}__${at}__metadata`), metadata };
  });
}

/** The settings with the metrics that are meant; one that was deleted is left out. */
export function withSavedMetrics(settings: JsonObject, saved: readonly Saved[]): JsonObject {
  const uses = readSavedMetricUses(settings);
  if (uses.length === 0) return settings;
  const own = (role: SavedMetricUse['role']): Json[] =>
    uses
      .filter((use) => use.role === role)
      .flatMap(({ id }) => saved.filter((one) => one.id === id))
      .map(({ name, query }) => ({ ...query, name }));
  return {
    ...settings,
    metrics: [...listIn(settings, 'metrics'), ...own('primary')],
    metrics_secondary: [...listIn(settings, 'metrics_secondary'), ...own('secondary')],
    metrics_added_later: listIn(settings, 'metrics_added_later').map(
      (added) => saved.find(({ id }) => added === addedSavedMetric(id))?.query['uuid'] ?? added,
    ),
  };
}

/** How a saved metric is named among those that were added after the start. */
export const addedSavedMetric = (id: number): string => `saved ${id}`;
