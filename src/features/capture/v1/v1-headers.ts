import { isUuid } from '../../../core/events/uuid.ts';
import { parseTimestamp } from '../../../core/time/parse-timestamp.ts';
import { V1Error } from './v1-error.ts';

export interface V1Headers {
  token: string;
  /** Name and version of the SDK; V1 events do not repeat them. */
  sdk: { name: string; version: string };
  attempt: number;
  requestId: string;
  /** The client's clock at sending, ms. */
  sentAt: number;
}

/** Header names in lower case, as Node gives them. */
type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

const REQUIRED = ['posthog-sdk-info', 'posthog-attempt', 'posthog-request-id', 'posthog-request-timestamp'];

export function readV1Headers(headers: RequestHeaders): V1Headers {
  const type = textOf(headers, 'content-type').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new V1Error('unsupported_content_type', 'Content-Type must be application/json.');
  const token = bearerOf(textOf(headers, 'authorization'));
  const missing = REQUIRED.filter((name) => textOf(headers, name) === '');
  if (missing.length > 0) {
    throw new V1Error('missing_required_headers', `These headers are required: ${missing.join(', ')}.`);
  }
  return {
    token,
    sdk: sdkOf(textOf(headers, 'posthog-sdk-info')),
    attempt: attemptOf(textOf(headers, 'posthog-attempt')),
    requestId: requestIdOf(textOf(headers, 'posthog-request-id')),
    sentAt: sentAtOf(textOf(headers, 'posthog-request-timestamp')),
  };
}

function textOf(headers: RequestHeaders, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? (value[0] ?? '') : (value ?? '')).trim();
}

function bearerOf(text: string): string {
  const token = /^Bearer\s+(\S+)$/i.exec(text)?.[1];
  if (token === undefined) throw new V1Error('missing_authorization', 'Send the project key as Authorization: Bearer.');
  return token;
}

function sdkOf(text: string): V1Headers['sdk'] {
  const slash = text.lastIndexOf('/');
  if (slash <= 0 || slash === text.length - 1) throw invalidHeader('PostHog-Sdk-Info', text, 'name/version');
  return { name: text.slice(0, slash), version: text.slice(slash + 1) };
}

function attemptOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalidHeader('PostHog-Attempt', text, 'a number from 1');
  return Number(text);
}

function requestIdOf(text: string): string {
  if (!isUuid(text)) throw invalidHeader('PostHog-Request-Id', text, 'a UUID');
  return text;
}

function sentAtOf(text: string): number {
  const ms = parseTimestamp(text);
  if (ms === undefined) throw invalidHeader('PostHog-Request-Timestamp', text, 'an RFC 3339 date');
  return ms;
}

const invalidHeader = (name: string, text: string, wanted: string): V1Error =>
  new V1Error('invalid_header_value', `${name} is '${text.slice(0, 50)}'; it should be ${wanted}.`);
