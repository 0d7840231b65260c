/** What people see who have a link and are not signed in. In a frame of another site it has no margins. */
import '../dashboards/dashboard.css';
import './shared-page.css';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import {
  enterSharePassword,
  getSharedView,
  type SharedInsight,
  type SharedView,
  type VisitorChoice,
} from '../../api/sharing.ts';
import type { WebFilter } from '../../api/web.ts';
import { Button } from '../../components/button.tsx';
import { Select, TextField } from '../../components/field.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Empty, ErrorNote, Skeleton } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { classes } from '../../lib/classes.ts';
import type { PageProps } from '../../lib/route-table.ts';
import { type Session, SessionContext } from '../../lib/session.ts';
import { showTheme } from '../../lib/theme.ts';
import { useJsonQueryState, useQueryState } from '../../lib/use-query-state.ts';
import { useAction, useResource } from '../../lib/use-resource.ts';
import { Logo } from '../../shell/logo.tsx';
import { StandalonePage } from '../../shell/standalone-page.tsx';
import { GivenAnnotationsContext } from '../annotations/use-annotations.ts';
import { inReadingOrder, layOut, rowsOf } from '../dashboards/layout.ts';
import { AnswerView } from '../insights/answer/answer-view.tsx';
import { readAnswer } from '../insights/answers.ts';
import { titleOf } from '../insights/labels.ts';
import { readQuestion } from '../insights/read-question.ts';
import { SqlAnswer } from '../sql/sql-answer.tsx';
import { readDisplay } from '../sql/sql-chart.ts';
import { SharedSite } from './shared-site.tsx';

export function Page({ params }: PageProps) {
  const token = params['token'] ?? '';
  const [dateFrom, setDateFrom] = useQueryState('date_from');
  const [filters] = useJsonQueryState<WebFilter[]>('filters', NO_FILTERS);
  const choice = useMemo(() => ({ dateFrom, filters }), [dateFrom, filters]);
  const view = useResource((signal) => getSharedView(token, choice, signal), [token, choice]);
  const { data, error, reload } = view;
  if (error instanceof ApiError && error.status === 404) return <Closed />;
  if (error instanceof ApiError && error.status === 401) return <PasswordForm token={token} onEntered={reload} />;
  if (data === undefined) {
    return (
      <main class="shared-page">
        {error === undefined ? <Skeleton /> : <ErrorNote error={error} onRetry={reload} />}
      </main>
    );
  }
  return (
    <div aria-busy={view.loading}>
      <Shared token={token} view={data} choice={choice} error={error} onDates={setDateFrom} />
    </div>
  );
}

const NO_FILTERS: WebFilter[] = [];

const Closed = () => (
  <main class="standalone">
    <Empty title="This link is not available">
      It may have expired or been turned off. Ask the person who sent it to you.
    </Empty>
  </main>
);

function PasswordForm({ token, onEntered }: { token: string; onEntered(): void }) {
  const [password, setPassword] = useState('');
  const enter = useAction(async () => {
    await enterSharePassword(token, password);
    onEntered();
  });
  return (
    <StandalonePage title="Enter the password">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void enter.run();
        }}
      >
        <TextField
          label="Password"
          type="password"
          autocomplete="off"
          value={password}
          onInput={setPassword}
          hint="Whoever sent you the link has it."
        />
        <Button type="submit" kind="primary" busy={enter.busy} disabled={password === ''}>
          Open
        </Button>
        {enter.error !== undefined && <ErrorNote error={enter.error} />}
      </form>
    </StandalonePage>
  );
}

const DATE_LABELS: Readonly<Record<string, string>> = {
  '-7d': 'Last 7 days',
  '-14d': 'Last 14 days',
  '-30d': 'Last 30 days',
  '-90d': 'Last 90 days',
  '-180d': 'Last 180 days',
  mStart: 'This month',
  yStart: 'This year',
};

interface SharedProps {
  token: string;
  view: SharedView;
  choice: VisitorChoice;
  /** Of what was chosen last; what is shown is from before. */
  error: unknown;
  onDates(dateFrom: string): void;
}

function Shared({ token, view, choice, error, onDates }: SharedProps) {
  const { name, description, settings, timezone, dates, kind } = view;
  const isEmbedded = location.pathname.startsWith('/embedded/');
  useEffect(() => {
    document.title = name || 'Shared';
    showTheme(settings.theme);
  }, [name, settings.theme]);
  // Charts ask for the time zone of the project, and nothing else of it.
  const session = useMemo(() => ({ project: { id: 0, timezone } }) as unknown as Session, [timezone]);
  const given = useMemo(
    () => ({
      results: [],
      changes: view.annotations.map((one) => ({ ...one, scope: '', item_id: '', dashboard_item: null })),
    }),
    [view.annotations],
  );
  return (
    <SessionContext.Provider value={session}>
      <GivenAnnotationsContext.Provider value={given}>
        <main class={classes('shared-page', isEmbedded && 'is-embedded', !settings.legend && 'without-legend')}>
          {!settings.noHeader && (
            <header>
              <div>
                <h1>{name || 'Insight'}</h1>
                {description !== '' && !settings.hideExtraDetails && <p class="muted">{description}</p>}
              </div>
              {dates !== null && (
                <Select
                  label="Dates"
                  hideLabel
                  value={dates.choices.includes(choice.dateFrom) ? choice.dateFrom : ''}
                  options={[
                    { value: '', label: 'Original dates' },
                    ...dates.choices.map((value) => ({ value, label: DATE_LABELS[value] ?? value })),
                  ]}
                  onChange={onDates}
                />
              )}
            </header>
          )}
          {error !== undefined && <ErrorNote error={error} />}
          {view.overview ? (
            <SharedSite token={token} overview={view.overview} settings={settings} choice={choice} />
          ) : (
            <SharedTiles view={view} />
          )}
          {!settings.noHeader && kind !== 'web' && view.tiles.length === 0 && (
            <Empty title="Nothing here yet">The dashboard has no insights.</Empty>
          )}
          {!settings.noHeader && (
            <footer class="muted small">
              <Logo size={16} /> Shared with Cairn. Time zone: {timezone}.
            </footer>
          )}
        </main>
      </GivenAnnotationsContext.Provider>
    </SessionContext.Provider>
  );
}

function SharedTiles({ view: { kind, tiles, settings } }: { view: SharedView }) {
  const layout = useMemo(() => layOut(tiles), [tiles]);
  const extra = !settings.hideExtraDetails;
  const [first] = tiles;
  if (kind === 'insight' && first?.insight) {
    return (
      <section class="card">
        <SharedAnswer insight={first.insight} small={!settings.detailed} hasExtra={extra} />
      </section>
    );
  }
  return (
    <ul class="tiles" style={{ '--all-rows': rowsOf(layout) }}>
      {inReadingOrder(tiles, layout).map(({ id, text, insight }) => {
        const { x, y, w, h } = layout.get(id) ?? { x: 0, y: 0, w: 12, h: 6 };
        return (
          <li
            key={id}
            class={classes('tile card', w <= 4 && 'narrow', insight === null && 'text')}
            style={{ '--x': x + 1, '--y': y + 1, '--columns': w, '--rows': h }}
          >
            {insight === null ? (
              <SharedText body={text ?? ''} />
            ) : (
              <>
                <header>
                  <h2>{insight.name || titleOf(readQuestion(insight.filters))}</h2>
                </header>
                <SharedAnswer insight={insight} small={!settings.detailed} hasExtra={extra} />
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function SharedText({ body }: { body: string }) {
  const text = useResource(async () => (await import('marked')).marked.lexer(body), [body]);
  return text.data ? <Markdown tokens={text.data} targetOf={safeTarget} /> : null;
}

/** Only links that cannot run anything. */
const safeTarget = (href: string): string | null => (/^(https?:\/\/|mailto:)/i.test(href) ? href : null);

const noPick = (): void => undefined;

interface SharedAnswerProps {
  insight: SharedInsight;
  small: boolean;
  hasExtra: boolean;
}

const SharedAnswer = (props: SharedAnswerProps) =>
  props.insight.query ? <SharedStatement {...props} /> : <SharedQuestion {...props} />;

function SharedStatement({ insight, small, hasExtra }: SharedAnswerProps) {
  const { columns, types, result, warnings, query, error, name, last_refresh } = insight;
  if (!columns || !types || !Array.isArray(result)) return <p class="muted">{error}</p>;
  return (
    <>
      <div class="tile-answer">
        <SqlAnswer
          rows={{ columns, types, results: result, warnings }}
          display={readDisplay(query?.['display'])}
          label={name}
          small={small}
        />
      </div>
      {hasExtra && (
        <footer class="muted small">
          Updated <Time at={last_refresh ?? ''} as="relative" />
        </footer>
      )}
    </>
  );
}

function SharedQuestion({ insight, small, hasExtra }: SharedAnswerProps) {
  const question = useMemo(() => readQuestion(insight.filters), [insight]);
  const answer = useMemo(
    () => (insight.result === null ? null : readAnswer(question, insight.result)),
    [question, insight],
  );
  if (answer === null) return <p class="muted">{insight.error}</p>;
  const at = insight.last_refresh ?? '';
  return (
    <>
      <div class="tile-answer">
        <AnswerView small={small} question={question} answer={answer} computedAt={at} onPick={noPick} />
      </div>
      {hasExtra && (
        <footer class="muted small">
          Updated <Time at={at} as="relative" />
        </footer>
      )}
    </>
  );
}
