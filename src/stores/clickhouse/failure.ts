import { ClickHouseError } from '@clickhouse/client';

/**
 * What went wrong at ClickHouse, with its own name for it as `code`: `CLICKHOUSE_TOO_MANY_PARTS`. Where no answer came,
 * or none that is ClickHouse's, it is `CLICKHOUSE_UNREACHABLE`. Which of them go away is said in `stores/outage.ts`.
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
