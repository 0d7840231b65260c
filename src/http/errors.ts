/**
 * The one place where an error becomes a response. Bodies always have the same four keys; `attr` is null when the error is
 * not about a field.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, type FailureKind, notFound } from '../core/errors.ts';
import { isDiskTrouble } from '../stores/disk-trouble.ts';

interface ErrorBody {
  type: string;
  code: string;
  detail: string;
  attr: string | null;
  extra?: Readonly<Record<string, string | number>>;
}

interface Answer {
  status: number;
  type: string;
  code: string;
}

const ANSWERS: Record<FailureKind, Answer> = {
  unauthenticated: { status: 401, type: 'authentication_error', code: 'authentication_failed' },
  forbidden: { status: 403, type: 'authentication_error', code: 'permission_denied' },
  not_found: { status: 404, type: 'invalid_request', code: 'not_found' },
  method_not_allowed: { status: 405, type: 'invalid_request', code: 'method_not_allowed' },
  malformed: { status: 400, type: 'invalid_request', code: 'parse_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request', code: 'unsupported_media_type' },
  too_large: { status: 413, type: 'invalid_request', code: 'payload_too_large' },
  invalid: { status: 400, type: 'validation_error', code: 'invalid_input' },
  conflict: { status: 409, type: 'server_error', code: 'conflict' },
  throttled: { status: 429, type: 'throttled_error', code: 'throttled' },
  timeout: { status: 504, type: 'server_error', code: 'timeout' },
  unavailable: { status: 503, type: 'server_error', code: 'server_error' },
};

export const httpStatusOf = (kind: FailureKind): number => ANSWERS[kind].status;

export function errorBody(failure: Failure): ErrorBody {
  const { type, code } = ANSWERS[failure.kind];
  return {
    type,
    code: failure.code ?? code,
    detail: failure.message,
    attr: failure.attr ?? null,
    ...failure.body,
    ...(failure.extra === undefined ? {} : { extra: failure.extra }),
  };
}

/** Unexpected errors are logged, and answered with nothing that could help an attacker. */
const UNEXPECTED_ERROR: ErrorBody = {
  type: 'server_error',
  code: 'error',
  detail: 'A server error occurred.',
  attr: null,
};

interface ErrorResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: ErrorBody;
  log: { level: 'warn' | 'error'; message: string } | null;
}

export function toErrorResponse(error: unknown, requestHeaders: IncomingHttpHeaders): ErrorResponse {
  const failure = error instanceof Error ? toFailure(error, requestHeaders) : null;
  if (failure === null) {
    return { status: 500, headers: {}, body: UNEXPECTED_ERROR, log: { level: 'error', message: 'unexpected error' } };
  }
  const { kind, retryAfter } = failure;
  return {
    status: httpStatusOf(kind),
    headers: {
      ...(kind === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {}),
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: errorBody(failure),
    log: kind === 'unavailable' ? { level: 'warn', message: 'unavailable' } : null,
  };
}

const DISK_RETRY_SECONDS = 10;

function toFailure(error: Error, requestHeaders: IncomingHttpHeaders): Failure | null {
  if (error instanceof Failure) return error;
  return isDiskTrouble(error)
    ? new Failure('unavailable', 'The disk of the server is full or failing. Try again later.', {
        retryAfter: DISK_RETRY_SECONDS,
        cause: error,
      })
    : fromFramework(error, requestHeaders);
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body, log } = toErrorResponse(error, request.headers);
  if (log !== null) request.log[log.level]({ err: error }, log.message);
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
  return reply.code(status).send(body);
}

const CONNECTION_ERRORS: Readonly<Record<string, [status: string, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive (REQUEST_TIMEOUT_SECONDS).'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers of the request are too large.'],
};

/** For what is no complete HTTP request, and so never reaches a route. */
export function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, detail] = CONNECTION_ERRORS[error.code ?? ''] ?? ['400 Bad Request', 'This is no valid HTTP request.'];
  const body = JSON.stringify(errorBody(new Failure('malformed', detail)));
  const headers = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
  if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`);
  socket.destroy(error);
}

/** Errors of the web framework as failures. */
function fromFramework(error: Error & Partial<FastifyError>, requestHeaders: IncomingHttpHeaders): Failure | null {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Failure(
        'unsupported_media_type',
        `Unsupported media type "${requestHeaders['content-type'] ?? ''}" in request.`,
      );
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return notFound();
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_ASYNC_CONSTRAINT':
      return new Failure('malformed', error.message, { cause: error });
    default:
      return clientError(error);
  }
}

function clientError(error: Error & Partial<FastifyError>): Failure | null {
  const status = error.statusCode;
  return status !== undefined && status >= 400 && status < 500
    ? new Failure('malformed', error.message, { cause: error })
    : null;
}
