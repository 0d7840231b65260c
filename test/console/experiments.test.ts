/** An experiment in the console, from a flag's page to a shipped variant. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
const HOUR_MS = 3_600_000;

describe.skipIf(!hasBrowser)('experiments in the console', () => {
  let server: TestServer;
  let browser: Browser;
  const start = Date.now() - 3 * 24 * HOUR_MS;
  beforeAll(async () => {
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date(start).toISOString(), config });
    browser = await openBrowser();
    const people = Array.from({ length: 40 }, (_, at) => `before-${at}`);
    await capture(
      server,
      server.projectKey,
      people.flatMap((who, at) => [
        event(who, '$pageview', start - 20 * HOUR_MS),
        ...(at % 3 === 0 ? [event(who, 'order placed', start - 19 * HOUR_MS)] : []),
      ]),
    );
    const variants = ['control', 'test'].map((key) => ({ key, rollout_percentage: 50 }));
    await clientFor(server).post('/api/projects/1/feature_flags/', {
      body: {
        key: 'checkout',
        active: false,
        filters: { groups: [{ rollout_percentage: 100 }], multivariate: { variants } },
      },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const event = (who: string, name: string, at: number, properties: Record<string, unknown> = {}) => ({
    event: name,
    distinct_id: who,
    timestamp: new Date(at).toISOString(),
    properties,
  });

  /** Twice as many in the variant place an order. */
  const visits = () =>
    Array.from({ length: 800 }, (_, at) => at).flatMap((at) => {
      const [who, variant] = [`visitor-${at}`, at % 2 === 0 ? 'control' : 'test'];
      const called = start + (at % 60) * HOUR_MS;
      const hasOrdered = Math.floor(at / 2) % 10 < (variant === 'test' ? 6 : 3);
      return [
        event(who, '$feature_flag_called', called, {
          $feature_flag: 'checkout',
          $feature_flag_response: variant,
          $os: at % 3 === 0 ? 'Linux' : 'iOS',
        }),
        ...(hasOrdered ? [event(who, 'order placed', called + HOUR_MS)] : []),
      ];
    });

  it('begin on a flag’s page, say what the variant changes, and end with a shipped variant', async () => {
    const { page, pageErrors, foreignRequests } = await watchedPage(browser, server.url);
    await page.context().request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    await page.goto(`${server.url}/project/1/flags`);
    await page.getByRole('link', { name: 'checkout' }).click();
    await page.getByRole('link', { name: 'Measure this flag' }).click();
    expect(await page.getByLabel('Feature flag', { exact: true }).inputValue()).toBe('checkout');
    await page.getByLabel('Name').fill('Shorter checkout');
    await page.getByRole('combobox', { name: 'Event of the metric' }).fill('order placed');
    await page.getByRole('combobox', { name: 'Event of the metric' }).press('Enter');
    await page.getByRole('button', { name: 'Add metric' }).click();
    const second = page.getByRole('group', { name: 'metric 2' });
    await second.getByLabel('Measured').selectOption('total');
    await second.getByRole('combobox', { name: 'Event of metric 2' }).fill('order placed');
    await second.getByRole('combobox', { name: 'Event of metric 2' }).press('Enter');
    await page.getByText('p-values are corrected').waitFor();
    await page.getByRole('button', { name: 'Add guardrail' }).click();
    const guardrail = page.getByRole('group', { name: 'guardrail 1' });
    await guardrail.getByRole('combobox', { name: 'Event of guardrail 1' }).fill('$exception');
    await guardrail.getByRole('combobox', { name: 'Event of guardrail 1' }).press('Enter');
    await guardrail.getByLabel('If there is more').selectOption('roll_back');
    await page.getByLabel('Smallest change worth knowing (%)').fill('60');
    await page.getByText(/To find a change of 60 %: [\d,]+ people|This traffic cannot show a change of 60 %/).waitFor();
    const slider = page.getByRole('slider', { name: 'Small changes take long' });
    await slider.press('ArrowRight');
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^A change of 75%: at least \d+ days, [\d,]+ persons$/);
    expect(await page.getByLabel('Smallest change worth knowing (%)').inputValue()).toBe('75');
    await page.getByLabel('Smallest change worth knowing (%)').fill('60');
    await page.getByText(/^(To find|This traffic cannot show) a change of 60 %|a change of 60 %/).waitFor();
    await page.getByRole('button', { name: 'Create draft' }).click();

    await page.getByText('Not launched yet.').waitFor();
    const checks = page.getByRole('region', { name: 'Checks' });
    await checks.getByText('checkout: not called in the last 7 days').waitFor();
    await checks.getByText('order placed: 14 in the last 7 days.').waitFor();
    await saveScreenshot(page, 'experiment-draft');
    await page.getByRole('button', { name: 'Launch…' }).click();
    await page.getByText('Blast radius').waitFor();
    await page.getByRole('button', { name: 'Launch experiment' }).click();
    await page.getByText('No one has seen this yet.').first().waitFor();

    server.setNow(new Date(start + 71 * HOUR_MS).toISOString());
    await capture(server, server.projectKey, visits());
    await page.getByRole('button', { name: 'Update now' }).click();
    await page
      .getByText(/^test raises order placed by [\d.]+ % \(/)
      .first()
      .waitFor();
    await page.getByText('As planned').waitFor();
    await page.getByRole('button', { name: 'Persons in test: view persons' }).click();
    await page.getByRole('heading', { name: 'Persons in test' }).waitFor();
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /^visitor-/ })
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Details' }).first().click();
    await page.getByText('Chance to be better').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Persons in control: view persons' }).waitFor();
    await page.getByRole('img', { name: 'Lift of test by day, with its interval' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Guardrail', { exact: true }).waitFor();
    await page.getByLabel('Property of the exposure').selectOption('$os');
    await page.getByRole('table', { name: 'Metrics by value' }).getByText('Linux').first().waitFor();
    await saveScreenshot(page, 'experiment');

    await page.getByRole('button', { name: 'Ship a variant…' }).click();
    await page.getByRole('button', { name: 'Ship variant', exact: true }).click();
    await page.getByText('Select the variant that everyone gets.').waitFor();
    await page.getByLabel('Variant', { exact: true }).selectOption('control');
    const against = page.getByText(/^The results speak against it: test raises order placed by/);
    await against.waitFor();
    await page.getByLabel('Conclusion').selectOption('inconclusive');
    const undecided = page.getByText(/^The evidence is enough to decide\. test raises order placed by/);
    await undecided.waitFor();
    await saveScreenshot(page, 'experiment-ship');
    await page.getByLabel('Variant', { exact: true }).selectOption('test');
    await page.getByText('get a different value.').waitFor();
    await against.waitFor({ state: 'detached' });
    await page.getByLabel('Conclusion').selectOption('won');
    await undecided.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Ship variant', exact: true }).click();
    await page.getByText('Everyone gets test now.').waitFor();
    await page.getByText('Ended', { exact: true }).first().waitFor();
    await page.getByText('The variant is better', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change the conclusion…' }).click();
    await page.getByLabel('Conclusion').selectOption('lost');
    await page.getByText(/^The results do not show that a variant is worse\./).waitFor();
    await page.getByLabel('Conclusion').selectOption('won');
    await page.getByLabel('Comment').fill('A shorter form sells more.');
    await page.getByRole('button', { name: 'Save conclusion' }).click();
    await page.getByText('A shorter form sells more.', { exact: true }).waitFor();
    expect(await page.getByText('Changed after the launch').count()).toBe(0);
    await saveScreenshot(page, 'experiment-concluded');
    const flag = (await clientFor(server).get('/api/projects/1/feature_flags/')).body.results[0];
    expect(flag.filters.groups[0]).toMatchObject({ rollout_percentage: 100, variant: 'test' });

    await page.getByRole('link', { name: 'All experiments' }).click();
    await page.getByText('Better', { exact: true }).waitFor();
    expect(pageErrors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  it('measure steps, thresholds, sessions and groups, from an activation on', async () => {
    const { page, pageErrors } = await watchedPage(browser, server.url);
    await page.context().request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    await page.goto(`${server.url}/project/1/experiments/new`);
    await page.getByLabel('Name').fill('Kinds');
    await page.getByLabel('Feature flag', { exact: true }).fill('kinds');
    const pick = async (label: string, event: string): Promise<void> => {
      const field = page.getByRole('combobox', { name: label, exact: true });
      await field.fill(event);
      await field.press('Enter');
    };
    const [first, second, third, fourth] = ['the metric', 'metric 2', 'metric 3', 'metric 4'].map((name) =>
      page.getByRole('group', { name, exact: true }),
    );
    await first?.getByLabel('Measured').selectOption('steps');
    await pick('Event of the metric', '$pageview');
    await pick('Step 2 of the metric', 'order placed');
    await first?.getByRole('button', { name: 'Add step' }).click();
    await pick('Step 3 of the metric', 'order paid');
    await first?.getByLabel('Order of the steps').selectOption('strict');
    for (const _ of [2, 3, 4]) await page.getByRole('button', { name: 'Add metric' }).click();
    await second?.getByLabel('Measured').selectOption('total');
    await pick('Event of metric 2', 'order placed');
    await second?.getByLabel('At least (optional)').fill('2');
    await third?.getByLabel('Measured').selectOption('sessions');
    await pick('Event of metric 3', '$pageview');
    await fourth?.getByLabel('Measured').selectOption('groups');
    await pick('Event of metric 4', 'order placed');
    await fourth?.getByText('No groups yet').waitFor();
    await pick('Count persons only from this event on', 'checkout opened');
    await saveScreenshot(page, 'experiment-metric-kinds');
    await page.getByRole('button', { name: 'Create draft' }).click();
    await page.getByText('Not launched yet.').waitFor();
    const [made] = (await clientFor(server).get('/api/projects/1/experiments/?search=Kinds')).body.results;
    expect(made).toMatchObject({
      exposure_criteria: { activation_config: { event: 'checkout opened' } },
      metrics: [
        {
          metric_type: 'funnel',
          funnel_order_type: 'strict',
          series: [{ event: '$pageview' }, { event: 'order placed' }, { event: 'order paid' }],
        },
        { metric_type: 'mean', name: 'order placed, at least 2', threshold: 2, source: { math: 'total' } },
        { metric_type: 'mean', source: { event: '$pageview', math: 'unique_session' } },
        { metric_type: 'mean', source: { event: 'order placed', math: 'unique_group', math_group_type_index: 0 } },
      ],
    });
    expect(pageErrors).toEqual([]);
  });

  it('hide lifts of a fixed plan until it is reached, unless someone asks, which is logged', async () => {
    server.setNow(new Date(start + 71 * HOUR_MS).toISOString());
    const client = clientFor(server);
    const metrics = [
      { metric_type: 'funnel', name: 'orders', series: [{ kind: 'EventsNode', event: 'order placed' }] },
    ];
    const { body } = await client.post('/api/projects/1/experiments/', {
      body: {
        name: 'Fixed',
        feature_flag_key: 'fixed',
        metrics,
        stats_config: { stopping: 'fixed', cuped: { enabled: false } },
        plan: { planned_users: 4000 },
        start_date: new Date(start).toISOString(),
      },
    });
    const seen = visits().map((one) => ({ ...one, properties: { ...one.properties, $feature_flag: 'fixed' } }));
    await capture(server, server.projectKey, seen);
    const { page, pageErrors } = await watchedPage(browser, server.url);
    await page.context().request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    await page.goto(`${server.url}/project/1/experiments/${body.id}`);
    await page.getByText('Hidden', { exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Details' }).count()).toBe(0);
    await page
      .getByText(/^Still collecting: 800 of 4,000 people, about \d+ more days\./)
      .first()
      .waitFor();
    await page.getByText(/Day 3 of about \d+\./).waitFor();
    await saveScreenshot(page, 'experiment-fixed');
    await page.getByRole('button', { name: 'Show early numbers' }).click();
    await page.getByRole('button', { name: 'Details' }).waitFor();
    const log = (await client.get(`/api/projects/1/experiments/${body.id}/activity/`)).body.results;
    expect(log[0]).toMatchObject({ activity: 'early_numbers_shown', user: { email: ACCOUNT.email } });
    await page.getByRole('button', { name: 'End…' }).click();
    await page.getByText(/The plan needs \d+ more days/).waitFor();
    await page.getByLabel('Conclusion').selectOption('won');
    await page.getByText(/^The results do not show that a variant is better\. Still collecting/).waitFor();
    await page.getByLabel('Conclusion').selectOption('stopped_early');
    await page.getByLabel('Comment').fill('The page was withdrawn.');
    await page.getByRole('button', { name: 'End experiment' }).click();
    await page.getByText('Experiment ended. The feature flag stays as it is.').waitFor();
    const ended = (await client.get(`/api/projects/1/experiments/${body.id}/`)).body;
    expect(ended).toMatchObject({ conclusion: 'stopped_early', conclusion_comment: 'The page was withdrawn.' });
    expect(pageErrors).toEqual([]);
  });

  it('have holdouts, which are made, taken, changed and deleted', async () => {
    const { page, pageErrors } = await watchedPage(browser, server.url);
    await page.context().request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    await page.goto(`${server.url}/project/1/experiments`);
    await page.getByRole('link', { name: 'Holdouts' }).click();
    await page.getByText('No holdouts yet').waitFor();
    await page.getByRole('button', { name: 'New holdout' }).first().click();
    await page.getByLabel('Name').fill('Untouched');
    await page.getByLabel('Persons who are held out (%)').fill('101');
    expect(await page.getByRole('button', { name: 'Save holdout' }).isDisabled()).toBe(true);
    await page.getByLabel('Persons who are held out (%)').fill('7.5');
    await page.getByRole('button', { name: 'Save holdout' }).click();
    await page.getByRole('table', { name: 'Holdouts' }).getByText('7.5%').waitFor();
    const client = clientFor(server);
    const [holdout] = (await client.get('/api/projects/1/experiment_holdouts/')).body.results;
    expect(holdout).toMatchObject({ name: 'Untouched', filters: [{ properties: [], rollout_percentage: 7.5 }] });

    await page.goto(`${server.url}/project/1/experiments/new`);
    await page.getByLabel('Name').fill('Held');
    await page.getByLabel('Feature flag', { exact: true }).fill('held');
    await page.getByLabel('Holdout').selectOption({ label: 'Untouched, 7.5%' });
    await page.getByRole('combobox', { name: 'Event of the metric' }).fill('order placed');
    await page.getByRole('combobox', { name: 'Event of the metric' }).press('Enter');
    await page.getByRole('button', { name: 'Create draft' }).click();
    await page.getByRole('button', { name: 'Launch…' }).click();
    await page.getByRole('button', { name: 'Launch experiment' }).click();
    await page.getByText('No one has seen this yet.').first().waitFor();

    await page.goto(`${server.url}/project/1/holdouts`);
    await page.getByRole('link', { name: 'Held' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Persons who are held out (%)').fill('20');
    await page.getByRole('alert').getByText('Some persons join or leave them at once').waitFor();
    await saveScreenshot(page, 'holdout');
    await page.getByRole('button', { name: 'Save holdout' }).click();
    await page.getByRole('table', { name: 'Holdouts' }).getByText('20%').waitFor();
    const flagOf = async () =>
      (await client.get('/api/projects/1/feature_flags/?search=held')).body.results[0].filters.holdout_groups;
    expect(await flagOf()).toMatchObject([{ rollout_percentage: 20, variant: `holdout-${holdout.id}` }]);

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No holdouts yet').waitFor();
    expect(await flagOf()).toBeUndefined();
    expect(pageErrors).toEqual([]);
  });

  it('share saved metrics, pause on a wrong split, and give a cohort of those who were exposed', async () => {
    const { page, pageErrors } = await watchedPage(browser, server.url);
    const client = clientFor(server);
    await page.context().request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    await page.goto(`${server.url}/project/1/experiments`);
    await page.getByRole('link', { name: 'Saved metrics' }).click();
    await page.getByText('No saved metrics yet').waitFor();
    await page.getByRole('button', { name: 'New metric' }).first().click();
    await page.getByLabel('Name').fill('Orders');
    expect(await page.getByRole('button', { name: 'Save metric' }).isDisabled()).toBe(true);
    await page.getByLabel('Measured').selectOption({ label: 'Number of events per person' });
    await page.getByRole('combobox', { name: 'Event of the metric' }).fill('order placed');
    await page.getByRole('combobox', { name: 'Event of the metric' }).press('Enter');
    await saveScreenshot(page, 'saved-metric');
    await page.getByRole('button', { name: 'Save metric' }).click();
    const table = page.getByRole('table', { name: 'Saved metrics' });
    await table.getByText('Value per person').waitFor();
    const saved = async () => (await client.get('/api/projects/1/experiment_saved_metrics/')).body.results;
    const [made] = await saved();
    expect(made).toMatchObject({
      name: 'Orders',
      query: { metric_type: 'mean', goal: 'increase', source: { event: 'order placed', math: 'total' } },
    });

    await page.goto(`${server.url}/project/1/experiments/new`);
    await page.getByLabel('Name').fill('Shared metric');
    await page.getByLabel('Feature flag', { exact: true }).fill('shared-metric');
    await page.getByLabel('Measured').selectOption({ label: 'A saved metric' });
    await page.getByLabel('Saved metric').selectOption({ label: 'Orders' });
    await page.getByLabel('Pause the experiment if persons are not split').check();
    await page.getByRole('button', { name: 'Create draft' }).click();
    await page.getByRole('button', { name: 'Launch…' }).click();
    await page.getByRole('button', { name: 'Launch experiment' }).click();
    await page.getByText('No one has seen this yet.').first().waitFor();
    const [experiment] = (await client.get('/api/projects/1/experiments/?search=Shared')).body.results;
    expect(experiment).toMatchObject({ pause_on_split: true, metrics: [], saved_metrics: [{ saved_metric: made.id }] });

    await page.goto(`${server.url}/project/1/saved-metrics`);
    await table.getByRole('link', { name: 'Shared metric' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    expect(await page.getByLabel('Measured').inputValue()).toBe('total');
    await page.getByLabel('Goal').selectOption('decrease');
    await page.getByRole('alert').getByText('Running experiments use this metric: Shared metric').waitFor();
    await page.getByRole('button', { name: 'Save metric' }).click();
    await table.getByText('Decrease').waitFor();
    expect((await saved())[0]).toMatchObject({ query: { uuid: made.query.uuid, goal: 'decrease' } });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('once these experiments have ended: Shared metric').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await saved()).toHaveLength(1);

    await page.goto(`${server.url}/project/1/experiments/${experiment.id}`);
    await page.getByRole('button', { name: 'Create cohort' }).click();
    await page.getByText('Exposed to Shared metric').first().waitFor();
    const { exposure_cohort: cohort } = (await client.get(`/api/projects/1/experiments/${experiment.id}/`)).body;
    expect(page.url()).toBe(`${server.url}/project/1/cohorts/${cohort}`);
    // The deletion that was refused.
    expect(pageErrors[0]).toMatch(/^400 .*experiment_saved_metrics/);
    expect(pageErrors).toHaveLength(2);
  });
});
