import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';

/**
 * Browsers' reports of content-security-policy violations as `$csp_violation` events. There are two shapes: one object
 * under `csp-report` with hyphenated names, and a list of reports whose `body` has camel-case names.
 */
interface CspReporter {
  /** From the query of the policy's report URL. */
  distinctId: string | undefined;
  sessionId: string | undefined;
  /** The version of the policy, so that two policies can be compared. */
  version: string | undefined;
  /** The distinct id where none is given. */
  fallbackId: string;
}

/** Property, its name in the old shape, its name in the new shape. */
const FIELDS: readonly (readonly [string, string, string])[] = [
  ['$csp_document_url', 'document-uri', 'documentURL'],
  ['$csp_referrer', 'referrer', 'referrer'],
  ['$csp_violated_directive', 'violated-directive', 'violatedDirective'],
  ['$csp_effective_directive', 'effective-directive', 'effectiveDirective'],
  ['$csp_original_policy', 'original-policy', 'originalPolicy'],
  ['$csp_disposition', 'disposition', 'disposition'],
  ['$csp_blocked_url', 'blocked-uri', 'blockedURL'],
  ['$csp_line_number', 'line-number', 'lineNumber'],
  ['$csp_column_number', 'column-number', 'columnNumber'],
  ['$csp_source_file', 'source-file', 'sourceFile'],
  ['$csp_status_code', 'status-code', 'statusCode'],
  ['$csp_script_sample', 'script-sample', 'sample'],
];

export function cspEvents(body: unknown, reporter: CspReporter): JsonObject[] {
  const reports = Array.isArray(body) ? body.flatMap(newShape) : oldShape(body);
  if (reports.length === 0) throw invalidReport();
  return reports.map((properties) => toEvent(properties, reporter));
}

export const invalidReport = () => invalid(undefined, 'Invalid CSP report format', 'invalid_csp_payload');

function oldShape(body: unknown): JsonObject[] {
  const report = isJsonObject(body) ? body['csp-report'] : undefined;
  return isJsonObject(report) ? [pick(report, 1)] : [];
}

/** Lists may contain reports of other types, such as deprecations and crashes. */
function newShape(item: unknown): JsonObject[] {
  if (!isJsonObject(item) || item['type'] !== 'csp-violation' || !isJsonObject(item['body'])) return [];
  const properties = pick(item['body'], 2);
  if (typeof item['user_agent'] === 'string') properties['$csp_user_agent'] = item['user_agent'];
  return [properties];
}

function pick(report: JsonObject, shape: 1 | 2): JsonObject {
  const found = FIELDS.flatMap((names): [string, Json][] => {
    const value = report[names[shape]];
    return value === undefined || (typeof value === 'object' && value !== null) ? [] : [[names[0], value]];
  });
  return Object.fromEntries(found);
}

function toEvent(properties: JsonObject, { distinctId, sessionId, version, fallbackId }: CspReporter): JsonObject {
  const page = properties['$csp_document_url'];
  return {
    event: '$csp_violation',
    distinct_id: distinctId || fallbackId,
    properties: {
      ...properties,
      ...(page === undefined ? {} : { $current_url: page }),
      ...(sessionId ? { $session_id: sessionId } : {}),
      ...(version ? { $csp_version: version } : {}),
      // The browser is not identified, so it creates no person.
      $process_person_profile: false,
    },
  };
}
