/** An answer that is an error, or none at all. `message` is a sentence for people: the server's own where it gave one. */
export class ApiError extends Error {
  /** 0: the server did not answer. */
  readonly status: number;
  /** The server's word for it: `not_found`, `invalid_input`, … */
  readonly code: string;
  /** The field to blame. */
  readonly attr: string | null;
  /** Seconds to wait before trying again. */
  readonly retryAfter: number | null;

  constructor(message: string, about: { status: number; code?: string; attr?: string | null; retryAfter?: number }) {
    super(message);
    this.name = 'ApiError';
    this.status = about.status;
    this.code = about.code ?? 'error';
    this.attr = about.attr ?? null;
    this.retryAfter = about.retryAfter ?? null;
  }
}

/** A sentence for whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
