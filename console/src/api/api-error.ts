/** An error response, or no response. `message` is shown to the user: the server's own text where it sent one. */
export class ApiError extends Error {
  /** 0 when the server could not be reached. */
  readonly status: number;
  /** The server's error code: `not_found`, `invalid_input`, … */
  readonly code: string;
  /** The invalid field, if the error is about one. */
  readonly attr: string | null;
  /** Seconds to wait before trying again. */
  readonly retryAfter: number | null;
  /** The change was not made: it waits for approval, as this change request. */
  readonly changeRequest: string | null;

  constructor(
    message: string,
    details: {
      status: number;
      code?: string;
      attr?: string | null;
      retryAfter?: number;
      changeRequest?: string;
    },
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = details.status;
    this.code = details.code ?? 'error';
    this.attr = details.attr ?? null;
    this.retryAfter = details.retryAfter ?? null;
    this.changeRequest = details.changeRequest ?? null;
  }
}

/** 'This field is required.' says nothing away from its field, so the field is named. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const field = error instanceof ApiError && error.message.startsWith('This ') ? error.attr : null;
  return field === null ? error.message : `${fieldName(field)}: ${error.message}`;
}

/** `set__current_password` is 'Current password'. */
function fieldName(attr: string): string {
  const words = (attr.split('__').at(-1) ?? attr).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
