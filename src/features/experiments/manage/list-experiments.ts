/** Which experiments a list shows, and in which order. */
import { invalid } from '../../../core/errors.ts';
import { parseId } from '../../../core/parse-id.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import type { Experiment } from '../store/experiment-store.ts';
import { type ExperimentStatus, statusOf } from './experiments.ts';

/** As the query of a request has them; absent: not asked for. */
interface ExperimentListQuery {
  search: string | undefined;
  status: string | undefined;
  archived: string | undefined;
  flagId: string | undefined;
  createdBy: string | undefined;
  order: string | undefined;
}

interface Listed extends Experiment {
  status: ExperimentStatus;
}

export async function listExperiments(
  store: MetadataStore,
  projectId: number,
  query: ExperimentListQuery,
  now: number,
): Promise<Experiment[]> {
  const matches = filterOf(query);
  const compare = orderOf(query.order ?? DEFAULT_ORDER, now);
  const flags = new Map((await store.flags.listByProject(projectId)).map((flag) => [flag.id, flag]));
  const listed = (await store.experiments.listByProject(projectId)).map((experiment) => ({
    ...experiment,
    status: statusOf(experiment, flags.get(experiment.flagId) ?? null, now),
  }));
  return listed
    .filter(matches)
    .sort((a, b) => compare(a, b) || b.id - a.id)
    .map(({ status: _, ...experiment }) => experiment);
}

const STATUSES = ['draft', 'running', 'paused', 'stopped'] as const;

function filterOf({ search = '', status = 'all', archived, flagId, createdBy }: ExperimentListQuery) {
  const text = search.toLowerCase();
  const wanted = status === 'complete' ? 'stopped' : status;
  if (wanted !== 'all' && !STATUSES.some((one) => one === wanted))
    throw invalid('status', `status is one of ${STATUSES.join(', ')}, complete, all.`);
  const [flag, creator] = [idIn(flagId, 'feature_flag_id'), idIn(createdBy, 'created_by_id')];
  return (one: Listed): boolean =>
    one.archived === (archived === 'true') &&
    (wanted === 'all' || one.status === wanted) &&
    (flag === null || one.flagId === flag) &&
    (creator === null || one.createdBy === creator) &&
    (one.name.toLowerCase().includes(text) || one.description.toLowerCase().includes(text));
}

function idIn(text: string | undefined, attr: string): number | null {
  if (text === undefined || text === '') return null;
  const id = parseId(text);
  if (id === null) throw invalid(attr, `${attr} is a number.`);
  return id;
}

type SortKey = (experiment: Listed) => string | number | null;

const DEFAULT_ORDER = '-created_at';

const sortKeys = (now: number): Readonly<Record<string, SortKey>> => ({
  name: ({ name }) => name.toLowerCase(),
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
  start_date: ({ startDate }) => startDate,
  end_date: ({ endDate }) => endDate,
  duration: ({ startDate, endDate }) => (startDate === null ? null : Math.max(0, (endDate ?? now) - startDate)),
  status: ({ status }) => STATUSES.indexOf(status),
});

/** Those without a value are last either way. */
function orderOf(order: string, now: number): (a: Listed, b: Listed) => number {
  const sign = order.startsWith('-') ? -1 : 1;
  const name = order.replace(/^-/, '');
  const keys = sortKeys(now);
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (key === undefined)
    throw invalid('order', `order is one of ${Object.keys(keys).join(', ')}, with "-" before it for descending.`);
  return (one, other) => {
    const [a, b] = [key(one), key(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (a < b ? -1 : a > b ? 1 : 0);
  };
}
