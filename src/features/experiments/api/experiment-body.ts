/** Reads the body of an experiment: only the fields that were sent. */
import type { Static } from '@sinclair/typebox';
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { readTimeField } from '../../../http/read-time.ts';
import type { Ids } from '../../../lib/ids.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { QuestionContext } from '../../insights/rules/question.ts';
import type { ExperimentChanges } from '../manage/experiments.ts';
import { metricOfInsight } from '../rules/metric-of-insight.ts';
import { METRIC_LISTS, readMetrics } from '../rules/read-metrics.ts';
import { readDecision, readExcluded, readExposure } from '../rules/read-settings.ts';
import { readSavedMetricUses } from '../rules/saved-metrics.ts';
import type { ExperimentChangeSchema } from './experiment-schemas.ts';

type Body = Static<typeof ExperimentChangeSchema>;

const SETTINGS = [
  'type',
  'parameters',
  'metrics',
  'metrics_secondary',
  'saved_metrics_ids',
  'exposure_criteria',
  'stats_config',
  'plan',
  'guardrails',
  'mode',
  'pause_on_split',
  'holdout_id',
  'conclusion',
  'conclusion_comment',
  'primary_metrics_ordered_uuids',
  'secondary_metrics_ordered_uuids',
  'only_count_matured_users',
  'excluded_variants',
  'running_time_calculation',
  'scheduling_config',
  'filters',
  'secondary_metrics',
] as const;

/** Also checks that everything can be calculated; `known` are the settings from before. */
export function readExperimentBody(
  body: Body,
  context: QuestionContext,
  ids: Ids,
  known: JsonObject = {},
): ExperimentChanges {
  const sent = Object.fromEntries(
    SETTINGS.flatMap((name): [string, Json][] => (body[name] === undefined ? [] : [[name, body[name] as Json]])),
  );
  const settings = withUuids(sent, ids);
  // Guardrails may name metrics that were there before.
  readMetrics(settings['guardrails'] === undefined ? settings : { ...known, ...settings }, context);
  readSavedMetricUses(settings);
  readExposure(settings, context);
  readDecision(settings);
  readExcluded({ ...known, ...settings });
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.description === undefined ? {} : { description: body.description ?? '' }),
    ...(body.archived === undefined ? {} : { archived: body.archived }),
    ...(body.deleted === undefined ? {} : { deleted: body.deleted }),
    settings,
  };
}

/** Metrics that name a saved insight, as the metrics that these mean now: a later change of an insight changes nothing. */
export async function withInsights<B extends Body>(metadata: MetadataStore, projectId: number, body: B): Promise<B> {
  const expand = async (given: unknown, attr: string): Promise<unknown> => {
    if (!isJsonObject(given as Json) || (given as JsonObject)['insight_id'] === undefined) return given;
    const { insight_id: id } = given as JsonObject;
    const insight =
      typeof id === 'number'
        ? await metadata.insights.get(projectId, id)
        : await metadata.insights.getByShortId(projectId, String(id));
    if (insight === null || insight.deleted) throw invalid(`${attr}__insight_id`, 'There is no such saved insight.');
    const named = { name: insight.name || (insight.derivedName ?? ''), filters: insight.filters };
    return metricOfInsight(named, given as JsonObject, attr);
  };
  const lists: [string, unknown][] = [];
  for (const name of ['metrics', 'metrics_secondary'] as const) {
    const list = body[name];
    if (Array.isArray(list))
      lists.push([name, await Promise.all(list.map((one, at) => expand(one, `${name}__${at}`)))]);
  }
  if (Array.isArray(body.guardrails)) {
    const guardrails = body.guardrails.map(async (one, at) => {
      if (!isJsonObject(one as Json)) return one;
      const { metric, ...rest } = one as JsonObject;
      return metric === undefined ? one : { ...rest, metric: await expand(metric, `guardrails__${at}__metric`) };
    });
    lists.push(['guardrails', await Promise.all(guardrails)]);
  }
  return { ...body, ...Object.fromEntries(lists) };
}

/** Every metric has a uuid of its own. */
function withUuids(settings: JsonObject, ids: Ids): JsonObject {
  const seen = new Set<string>();
  const numbered = (metric: Json): Json => {
    if (!isJsonObject(metric)) return metric;
    const { uuid } = metric;
    const own = typeof uuid === 'string' && uuid !== '' && !seen.has(uuid) ? uuid : ids.uuid();
    seen.add(own);
    return { ...metric, uuid: own };
  };
  const lists = METRIC_LISTS.flatMap((name): [string, Json][] => {
    const list = settings[name];
    return Array.isArray(list) ? [[name, list.map(numbered)]] : [];
  });
  return { ...settings, ...Object.fromEntries(lists) };
}

/** Undefined where nothing was sent. */
export function readDate(text: string | null | undefined, attr: string): number | null | undefined {
  return text === null || text === undefined ? text : readTimeField(attr, text);
}
