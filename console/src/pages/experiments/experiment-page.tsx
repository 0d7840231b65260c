/** One experiment, read top-down: verdict, health, metrics, plan, history. */
import './experiments.css';
import { listActivity } from '../../api/activity.ts';
import { ApiError } from '../../api/api-error.ts';
import { type Experiment, getExperiment, getResults, type Results, resultsCsvPath } from '../../api/experiments.ts';
import { ActivityList } from '../../components/activity-list.tsx';
import { Button } from '../../components/button.tsx';
import { CsvLink } from '../../components/csv-link.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { Link } from '../../components/link.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Banner, Empty, Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber, formatPercent, pluralize } from '../../lib/numbers.ts';
import { type PageProps, pathTo } from '../../lib/route-table.ts';
import { useProject } from '../../lib/session.ts';
import { useResource } from '../../lib/use-resource.ts';
import { Breakdown } from './breakdown.tsx';
import { CONCLUSIONS } from './conclusions.ts';
import { DraftChecks } from './draft-checks.tsx';
import { ExperimentActions } from './experiment-actions.tsx';
import { ExperimentStatus } from './experiment-status.tsx';
import { GuardrailAlarms } from './guardrail-alarms.tsx';
import { Health } from './health.tsx';
import { MetricTable } from './metric-table.tsx';
import { NewExperiment } from './new-experiment.tsx';

export function Page({ params }: PageProps) {
  const { experiment = '' } = params;
  if (experiment === 'new') return <NewExperiment />;
  return /^\d{1,15}$/.test(experiment) ? <Stored key={experiment} id={Number(experiment)} /> : <NotFound />;
}

const AllExperiments = () => (
  <Link to={pathTo('experiments', { project: useProject().id }) ?? '/'}>All experiments</Link>
);

const NotFound = () => (
  <PageFrame title="Experiment">
    <Empty title="Experiment not found" action={<AllExperiments />}>
      It may have been deleted, or belong to another project.
    </Empty>
  </PageFrame>
);

function Stored({ id }: { id: number }) {
  const project = useProject();
  const experiment = useResource((signal) => getExperiment(project.id, id, signal), [project.id, id]);
  const { data, error } = experiment;
  const state = data === undefined ? null : `${data.status} ${data.updated_at}`;
  const results = useResource(state === null ? null : (signal) => getResults(project.id, id, signal), [
    project.id,
    id,
    state,
  ]);
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  return (
    <PageFrame
      title={data?.name ?? 'Experiment'}
      lead={
        <>
          <AllExperiments /> {data?.description && <span> · {data.description}</span>}
        </>
      }
      actions={
        data && (
          <>
            <ExperimentStatus status={data.status} />
            <CsvLink href={resultsCsvPath(project.id, id)} name={`experiment-${id}.csv`} />
            <ExperimentActions experiment={data} results={results.data ?? null} onChanged={experiment.set} />
          </>
        )
      }
    >
      <Loaded resource={experiment}>
        {(loaded) =>
          loaded.status === 'draft' ? (
            <Draft experiment={loaded} />
          ) : (
            <Loaded resource={results}>
              {(found) => <Running experiment={loaded} results={found} onReload={results.reload} />}
            </Loaded>
          )
        }
      </Loaded>
    </PageFrame>
  );
}

function Draft({ experiment }: { experiment: Experiment }) {
  return (
    <>
      <p class="verdict">Not launched yet.</p>
      <p>
        Launching enables the feature flag. From then on, everyone who calls it counts in the variant they saw first.
        Metrics and plan are fixed at the launch; later changes are shown here.
      </p>
      <DraftChecks experiment={experiment} />
      <PlanSection experiment={experiment} results={null} />
    </>
  );
}

interface RunningProps {
  experiment: Experiment;
  results: Results;
  onReload(): void;
}

function Running({ experiment, results, onReload }: RunningProps) {
  return (
    <>
      <section class="stack-s" aria-label="Verdict">
        <p class="verdict">{results.sentence}</p>
        <p class="row">
          <span class="muted">
            {dayText(experiment, results)} {results.next_step} Updated <Time at={results.as_of} as="relative" />.
          </span>
          <Button small kind="quiet" onClick={onReload}>
            Update now
          </Button>
        </p>
      </section>
      {results.planned_result && (
        <Banner>
          The result is that of <Time at={results.planned_result.as_of} />, when the plan was reached with{' '}
          {pluralize(results.planned_result.plan.users, 'person')}. The numbers below are a later look and decide
          nothing.
        </Banner>
      )}
      {experiment.changed_after_start.length > 0 && (
        <Banner tone="warn">
          Changed after the launch: {changedFields(experiment)}. Results are calculated with the current settings.
        </Banner>
      )}
      <GuardrailAlarms experiment={experiment} />
      <Health experimentId={experiment.id} results={results} />
      <section class="stack" aria-label="Metrics">
        <h2>Metrics</h2>
        <MetricTable experiment={experiment} results={results} />
      </section>
      <Breakdown experimentId={experiment.id} asOf={results.as_of} />
      <PlanSection experiment={experiment} results={results} />
      <History experiment={experiment} />
    </>
  );
}

/** Of a running experiment, which day of how many it is. */
function dayText({ status }: Experiment, { plan: { days, days_left: left } }: Results): string {
  if (status !== 'running' && status !== 'paused') return '';
  const day = Math.floor(days) + 1;
  if (left === null) return `Day ${day}.`;
  return left === 0 ? `Day ${day}; the plan is reached.` : `Day ${day} of about ${Math.ceil(days) + left}.`;
}

const changedFields = ({ changed_after_start: notes }: Experiment): string =>
  [...new Set((notes as { fields?: string[] }[]).flatMap(({ fields = [] }) => fields))].join(', ').replaceAll('_', ' ');

function PlanSection({ experiment, results }: { experiment: Experiment; results: Results | null }) {
  const { id } = useProject();
  const plan = experiment.plan as { planned_users?: number; mde_relative?: number; min_days?: number };
  const variants = experiment.parameters['feature_flag_variants'] as
    | { key: string; split_percent: number }[]
    | undefined;
  const flagId = (experiment.feature_flag as { id?: number } | null)?.id;
  const facts: Fact[] = [
    [
      'Feature flag',
      flagId === undefined ? (
        'Deleted'
      ) : (
        <Link to={pathTo('flag', { project: id, flag: flagId }) ?? '/'}>{experiment.feature_flag_key}</Link>
      ),
    ],
    ['Variants', (variants ?? []).map(({ key, split_percent }) => `${key} ${split_percent}%`).join(', ')],
    ['Smallest change worth knowing', formatPercent(plan.mde_relative ?? 0.05)],
    ['Persons', personsOf(plan.planned_users ?? null, results)],
    ...powerFacts(results),
    ...(experiment.mode === 'aa' ? [['Kind', 'A/A test: all variants are the same'] satisfies Fact] : []),
    ...(experiment.holdout === null
      ? []
      : [['Holdout', `${experiment.holdout.name}, ${holdoutShare(experiment)} of persons`] satisfies Fact]),
    ...guardFacts(experiment),
    ...phaseFacts(results),
    ['At least', pluralize(plan.min_days ?? 7, 'day')],
    ...(experiment.start_date === null ? [] : [['Launched', <Time at={experiment.start_date} />] satisfies Fact]),
    ...(experiment.end_date === null ? [] : [['Ended', <Time at={experiment.end_date} />] satisfies Fact]),
    ...decisionFacts(experiment),
    ...(experiment.conclusion === null ? [] : [['Conclusion', CONCLUSIONS[experiment.conclusion]] satisfies Fact]),
    ...(experiment.conclusion_comment ? [['Comment', experiment.conclusion_comment] satisfies Fact] : []),
  ];
  return (
    <section class="stack" aria-label="Plan">
      <h2>Plan</h2>
      <Facts facts={facts} />
    </section>
  );
}

/** What the people of now can show. */
const powerFacts = (results: Results | null): Fact[] => {
  const { power_now: power = null, mde_now: change = null, mde_relative: planned = 0 } = results?.plan ?? {};
  return [
    ...(power === null
      ? []
      : [[`Chance to have found ${formatPercent(planned)}`, formatPercent(power)] satisfies Fact]),
    ...(change === null ? [] : [['Can show by now', `changes of ${formatPercent(change)} and more`] satisfies Fact]),
  ];
};

const decisionFacts = ({ shipped }: Experiment): Fact[] => {
  const { variant, at } = (shipped ?? {}) as { variant?: string; at?: string };
  if (variant === undefined || at === undefined) return [];
  return [
    [
      'Shipped',
      <>
        <code>{variant}</code>, <Time at={at} />
      </>,
    ],
  ];
};

const holdoutShare = ({ holdout }: Experiment): string =>
  formatPercent(Number(holdout?.filters[0]?.['rollout_percentage'] ?? 0) / 100);

const guardFacts = ({ guardrails }: Experiment): Fact[] =>
  guardrails.length === 0 ? [] : [['Guardrails', pluralize(guardrails.length, 'metric')]];

/** Shown if the split was changed. */
const phaseFacts = (results: Results | null): Fact[] =>
  results === null || results.phases.length < 2
    ? []
    : results.phases.map(
        ({ from, weights }, at): Fact => [
          `Split ${at + 1}`,
          <>
            {Object.entries(weights)
              .map(([key, weight]) => `${key} ${weight}%`)
              .join(', ')}{' '}
            since <Time at={from} />
          </>,
        ],
      );

const personsOf = (planned: number | null, results: Results | null): string => {
  const seen = results === null ? '' : `${formatNumber(results.plan.users)} so far, `;
  return `${seen}${planned === null ? 'no number planned' : `${formatNumber(planned)} planned`}`;
};

function History({ experiment }: { experiment: Experiment }) {
  const { id } = useProject();
  const activity = useResource(
    (signal) => listActivity(id, ['experiments', experiment.id], { limit: 50 }, signal),
    [id, experiment.id, experiment.updated_at],
  );
  return (
    <section class="stack" aria-label="History">
      <h2>History</h2>
      <Loaded resource={activity}>
        {({ results }) => <ActivityList label="Activity, newest first" entries={results} />}
      </Loaded>
    </section>
  );
}
