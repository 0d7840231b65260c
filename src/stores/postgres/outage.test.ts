import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnPostgres, startOwnPostgres } from '../../../test/support/own-postgres.ts';
import { describeWithPostgres } from '../../../test/support/postgres.ts';
import { KeyGuard } from '../../access/key-guard.ts';
import { KeyUse } from '../../access/key-use.ts';
import { ProjectDirectory } from '../../access/project-directory.ts';
import { Failure } from '../../core/errors.ts';
import { NO_CHANGES } from '../ingest/no-changes.ts';
import { isOutage } from '../outage.ts';
import { codeOf, isRetryable, rethrowConnectionLoss } from './errors.ts';
import { openPostgresMetadataStore, type PostgresStores } from './metadata-store.ts';

describeWithPostgres(() => {
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'it worked',
      (error) => error,
    );

  describe('while PostgreSQL is down', () => {
    let server: OwnPostgres;
    let stores: PostgresStores;
    beforeAll(async () => {
      server = await startOwnPostgres({ fsync: false });
      stores = await openPostgresMetadataStore(server.url, 0, { size: 3 });
    });
    afterAll(async () => {
      await stores.metadata.close();
      await server.stop();
    });

    it('fails soon as unavailable, running transactions too, and recovers by itself', async () => {
      await stores.metadata.installation.set('a', '1');
      let markRunning = (): void => undefined;
      const started = new Promise<void>((resolve) => {
        markRunning = resolve;
      });
      let resume = (): void => undefined;
      const resumed = new Promise<void>((resolve) => {
        resume = resolve;
      });
      const running = failureOf(
        stores.ingest.transaction(async (store) => {
          await store.apply({ ...NO_CHANGES, counts: { stored: 1 }, position: 7 });
          markRunning();
          await resumed;
          await store.progress();
        }),
      );
      await started;
      await server.halt();
      resume();
      const start = performance.now();
      const failures = [
        await running,
        await failureOf(stores.metadata.check()),
        await failureOf(stores.metadata.installation.get('a')),
        await failureOf(stores.metadata.transaction(async (store) => store.installation.set('a', '2'))),
        await failureOf(stores.ingest.transaction(async (store) => store.progress())),
      ];
      for (const failure of failures) {
        expect(failure).toBeInstanceOf(Failure);
        expect(failure).toMatchObject({ kind: 'unavailable', code: 'server_error', retryAfter: 2 });
        expect(isOutage(failure)).toBe(true);
        expect(isRetryable(failure)).toBe(false);
      }
      const clock = { now: () => 0 };
      const keyUse = new KeyUse({ store: stores.metadata.personalKeys, clock, log: { warn: () => undefined } });
      const keys = new KeyGuard(clock);
      const directory = new ProjectDirectory({ metadata: stores.metadata, clock, keys, keyUse });
      expect(await failureOf(directory.getProject('phc_key', undefined, '192.0.2.1'))).toMatchObject({
        kind: 'unavailable',
        code: 'fetch_team_fail',
      });
      expect(performance.now() - start).toBeLessThan(6000);
      await server.resume();
      expect(await stores.metadata.installation.get('a')).toBe('1');
      expect(await stores.ingest.position()).toBe(0);
      expect(await stores.ingest.getCounts()).toEqual({});
    });

    it('reports an unreachable server without the password', async () => {
      const failure = await failureOf(openPostgresMetadataStore('postgresql://somebody:secret@127.0.0.1:1/x', 0));
      expect(failure).toMatchObject({ kind: 'unavailable' });
      expect(String((failure as Error).message)).toContain('cannot be reached (ECONNREFUSED)');
      expect(String((failure as Error).message)).not.toContain('secret');
    });
  });
});

describe('errors', () => {
  const withCode = (code: string, more: object = {}): Error => Object.assign(new Error('words'), { code, ...more });

  it.each([
    ['40001', {}, true],
    ['40P01', {}, true],
    ['23505', { constraint: 'seen_events_pk' }, true],
    ['23505', { constraint: 'person_distinct_ids_once' }, true],
    ['23505', { constraint: 'users_email_key' }, false],
    ['22P02', {}, false],
    ['ECONNRESET', {}, false],
  ])('%s %j are retried at once: %s', (code, more, expected) => {
    expect(isRetryable(withCode(code, more))).toBe(expected);
  });

  it.each(['08006', '53300', '53100', '57P01', '57P03', '57014', 'ECONNREFUSED', 'ETIMEDOUT', 'ENOTFOUND'])(
    '%s counts as an outage',
    (code) => {
      expect(() => rethrowConnectionLoss(withCode(code))).toThrow(Failure);
    },
  );

  it('other than connection losses are passed on', () => {
    const error = withCode('42P01');
    expect(() => rethrowConnectionLoss(error)).toThrow(error);
    expect(codeOf(error)).toBe('42P01');
    expect(isOutage(error)).toBe(false);
    expect(isOutage(withCode('40P01'))).toBe(true);
  });
});
