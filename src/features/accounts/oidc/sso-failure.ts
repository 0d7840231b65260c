import type { SsoError } from './rules/decide-sign-in.ts';

/** Why somebody did not come in by the provider. People see the code, the log has the reason. */
export class SsoFailure extends Error {
  readonly code: SsoError;

  constructor(code: SsoError, reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'SsoFailure';
    this.code = code;
  }
}
