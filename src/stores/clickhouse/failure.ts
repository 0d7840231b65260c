import { ClickHouseError } from '@clickhouse/client';

/**
 * An error of ClickHouse with its name as `code`, such as `CLICKHOUSE_TOO_MANY_PARTS`, or `CLICKHOUSE_UNREACHABLE` if
 * there was no valid response. `stores/outage.ts` lists the transient ones.
 */
export class ClickHouseFailure extends Error {
  readonly code: string;

  constructor(cause: unknown) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const isAnswer = cause instanceof ClickHouseError;
    super(isAnswer ? `ClickHouse: ${message}` : `ClickHouse does not answer: ${message.slice(0, 500)}`, { cause });
    this.name = 'ClickHouseFailure';
    this.code = `CLICKHOUSE_${isAnswer ? (cause.type ?? cause.code) : 'UNREACHABLE'}`;
  }
}

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof ClickHouseFailure && codes.some((code) => error.code === `CLICKHOUSE_${code}`);
