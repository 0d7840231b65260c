/** Keys, the audit log with its webhook, and the sessions of members, as admins use them in the console. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { call } from '../support/client.ts';
import { addMember, type TestMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Hook, startHook } from '../support/webhook.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };

describe.skipIf(!hasBrowser)('who may do what, in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let member: TestMember;
  let hook: Hook;
  let watched: Awaited<ReturnType<typeof watchedPage>>;
  let page: Page;

  beforeAll(async () => {
    server = await startServer({
      // The browser has the real time, and drops cookies that expired by it.
      now: new Date().toISOString(),
      config: { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password, webhookAllowPrivate: true },
    });
    member = await addMember(server, 'grace@example.org');
    hook = await startHook();
    browser = await openBrowser();
    watched = await watchedPage(browser, server.url);
    page = watched.page;
    await page.goto(`${server.url}/login?next=/account`);
    await page.getByLabel('Email').fill(ACCOUNT.email);
    await page.getByLabel('Password').fill(ACCOUNT.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/account/);
  });
  afterAll(async () => {
    await browser?.close();
    await hook?.close();
    await server?.close();
  });

  const status = async (key: string, path: string) => (await call(server.url, 'GET', path, { key })).status;
  const open = (path: string) => page.goto(`${server.url}/project/1/${path}`);

  it('makes a personal key with scopes, a project and an end, rolls it and deletes it', async () => {
    const card = page.getByRole('region', { name: 'Personal API keys' });
    await card.getByLabel('Label').fill('Terraform');
    await card.getByLabel('Access', { exact: true }).selectOption('custom');
    await card.getByLabel('feature flag', { exact: true }).selectOption('write');
    await card.getByLabel('Project', { exact: true }).selectOption('1');
    await card.getByLabel('Expires').selectOption('30');
    await card.getByRole('button', { name: 'Create key' }).click();
    await card.getByText('Copy the key Terraform now').waitFor();
    const shown = async () => (await card.locator('code', { hasText: /^phx_/ }).textContent()) ?? '';
    const first = await shown();
    expect(await status(first, '/api/projects/1/feature_flags/')).toBe(200);
    expect(await status(first, '/api/projects/1/persons/')).toBe(403);
    const row = card.getByRole('row', { name: /Terraform/ });
    expect(await row.textContent()).toMatch(/project 1.*in (a month|30 days|29 days|4 weeks)/i);
    const { body } = await call(server.url, 'GET', '/api/personal_api_keys/@current/', { key: first });
    expect(body).toMatchObject({ label: 'Terraform', scopes: ['feature_flag:write'], scoped_teams: [1] });
    expect(Date.parse(body.expires_at) - Date.now()).toBeGreaterThan(29 * 86_400_000);

    await card.getByRole('button', { name: 'Roll key Terraform' }).click();
    await page.getByRole('button', { name: 'Roll key', exact: true }).click();
    await expect.poll(shown).not.toBe(first);
    const second = await shown();
    expect(await status(first, '/api/projects/1/feature_flags/')).toBe(401);
    expect(await status(second, '/api/projects/1/feature_flags/')).toBe(200);

    await card.getByRole('button', { name: 'Delete key Terraform' }).click();
    await page.getByRole('button', { name: 'Delete key', exact: true }).click();
    await row.waitFor({ state: 'detached' });
    expect(await status(second, '/api/projects/1/feature_flags/')).toBe(401);
    expect(await card.locator('code', { hasText: /^phx_/ }).count()).toBe(0);
  });

  it('makes, rolls and deletes a secret key of the project', async () => {
    await open('settings');
    const card = page.getByRole('region', { name: 'Secret API keys' });
    await card.getByLabel('Label').fill('Orders service');
    await card.getByRole('button', { name: 'Create key' }).click();
    const shown = async () => (await card.locator('code', { hasText: /^phs_/ }).textContent()) ?? '';
    const first = await shown();
    const evaluation = `/api/feature_flag/local_evaluation/?token=${server.projectKey}`;
    expect(await status(first, evaluation)).toBe(200);
    expect(await status(first, '/api/projects/1/feature_flags/')).toBe(401);
    const row = card.getByRole('row', { name: /Orders service/ });
    await row.getByRole('button', { name: 'Roll…' }).click();
    await page.getByRole('button', { name: 'Replace value' }).click();
    await expect.poll(shown).not.toBe(first);
    const second = await shown();
    expect([await status(first, evaluation), await status(second, evaluation)]).toEqual([401, 200]);
    await row.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete key' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await status(second, evaluation)).toBe(401);
  });

  it('filters the audit log by member, type and activity, and exports what is filtered', async () => {
    await open('audit');
    const rows = page.getByRole('table', { name: 'Audit log, newest first' }).locator('tbody tr');
    await rows.first().waitFor();
    await page.getByLabel('Member').selectOption({ label: 'grace@example.org' });
    await expect.poll(async () => (await rows.allTextContents()).every((text) => text.includes('grace@'))).toBe(true);
    await page.getByLabel('Member').selectOption('');
    await page.getByLabel('Type').selectOption('PersonalAPIKey');
    await page.getByLabel('Activity').selectOption('rolled');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.first().textContent()).toContain('Terraform');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: /CSV/ }).click();
    const csv = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split(/\r?\n/);
    expect(csv).toHaveLength(2);
    expect(csv[1]).toMatch(/ada@example.org,rolled,PersonalAPIKey,.*Terraform/);
    const lines = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export JSON lines' }).click();
    const jsonl = readFileSync(await (await lines).path(), 'utf8')
      .trim()
      .split('\n');
    expect(jsonl.map((line) => JSON.parse(line).activity)).toEqual(['rolled']);
    await page.getByLabel('Before').fill('2020-01-01');
    await page.getByText('Choose other filters to see more of the log.').waitFor();
  });

  it('sends the audit log to a webhook, tests it and removes it', async () => {
    await open('audit');
    await page.getByRole('tab', { name: 'Webhook' }).click();
    await page.getByText('Nothing was sent yet').waitFor();
    await page.getByLabel('Address').fill('ftp://example.org/');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('begins with https://').waitFor();
    await page.getByLabel('Address').fill(hook.url);
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.locator('code', { hasText: /^whsec_/ }).textContent()).toMatch(/^whsec_/);
    await hook.waitForRequests(1);
    await page.getByRole('button', { name: 'Send test' }).click();
    const [, test] = await hook.waitForRequests(2);
    expect(JSON.parse(test?.body ?? '').type).toBe('audit.test');
    await expect
      .poll(async () => {
        await page.reload();
        await page.getByRole('button', { name: 'Send test' }).waitFor();
        return page.getByRole('row', { name: /sent/ }).count();
      })
      .toBe(2);
    // Shown once.
    expect(await page.locator('code', { hasText: /^whsec_/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Remove webhook' }).click();
    await page.getByRole('button', { name: 'Send test' }).waitFor({ state: 'detached' });
    await hook.waitForRequests(3);
    expect(JSON.parse(hook.requests[2]?.body ?? '').data).toMatchObject({ scope: 'AuditWebhook', activity: 'deleted' });
  });

  it('shows where a member is signed in, and signs them out', async () => {
    const isIn = async () =>
      (await call(server.url, 'GET', '/api/users/@me/', { key: null, headers: { cookie: member.cookie } })).status;
    expect(await isIn()).toBe(200);
    await open('members');
    await page.getByRole('button', { name: 'Sessions of grace@example.org' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sessions of grace@example.org' });
    await dialog.getByRole('button', { name: /^Sign out/ }).click();
    await dialog.getByText('Not signed in').waitFor();
    expect(await isIn()).toBe(401);
    // The address that was refused.
    const errors = watched.pageErrors.filter((text) => !/^400 .*audit_webhook\/$|status of 400/.test(text));
    expect([errors, watched.foreignRequests]).toEqual([[], []]);
  });
});
