/** The audit log of an organization, for its admins. There is no route that changes or removes an entry. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { recordAudit } from '../../../access/record-audit.ts';
import { invalid } from '../../../core/errors.ts';
import { usersById } from '../../../http/api/activity-list.ts';
import { organizationRoute } from '../../../http/api/route.ts';
import { readCsvCells } from '../../../http/format.ts';
import { envelope, type Query, queryText, readPage } from '../../../http/paging.ts';
import { PAGE_QUERY, pageSchema } from '../../../http/schemas/common.ts';
import { type CsvCells, csvLine } from '../../../lib/csv-line.ts';
import { ADMIN } from '../../../stores/metadata/accounts.ts';
import type { AuditQuery } from '../../../stores/metadata/audit.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { presentAuditEntry } from '../present-entry.ts';
import { AUDIT_COLUMNS, AUDIT_QUERY, AuditEntrySchema, auditCells } from './audit-schemas.ts';
import type { AuditApiDeps } from './deps.ts';

const EXPORT_PAGE_SIZE = 1000;
const TYPES = { jsonl: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const;

export function auditRoutes(app: FastifyInstance, deps: AuditApiDeps): void {
  organizationRoute(app, deps, {
    method: 'GET',
    url: '/api/organizations/:organization_id/audit/',
    summary: 'Audit log: who did what, when, from where and with which key or session, newest first',
    tag: 'organizations',
    scope: 'activity_log',
    level: ADMIN,
    query: { ...PAGE_QUERY, ...AUDIT_QUERY },
    response: pageSchema(AuditEntrySchema),
    handler: async ({ caller, organization, query, url, reply }) => {
      const asked = await readAuditQuery(deps.metadata, organization.id, query);
      const format = readFormat(query);
      if (format === 'json') {
        const page = readPage(query);
        const { count, items } = await deps.metadata.audit.list(asked, page);
        const users = await usersOf(deps.metadata, items);
        return envelope(url, page, { count, items }, (entry) => presentAuditEntry(entry, users));
      }
      await deps.metadata.transaction((store) =>
        recordAudit(deps, store, {
          organizationId: organization.id,
          projectId: null,
          userId: caller.user.id,
          activity: 'exported',
          scope: 'Audit',
          itemId: organization.id,
          name: format,
          changes: null,
        }),
      );
      const lines =
        format === 'csv' ? csvLines(deps.metadata, asked, readCsvCells(query)) : jsonLines(deps.metadata, asked);
      return reply
        .type(TYPES[format])
        .header('content-disposition', `attachment; filename="audit.${format}"`)
        .send(Readable.from(lines));
    },
  });
}

const usersOf = (metadata: MetadataStore, entries: readonly { userId: number | null }[]) =>
  usersById(
    metadata,
    entries.map(({ userId }) => userId),
  );

/** All entries, a page at a time, presented. */
async function* pagesOf(metadata: MetadataStore, asked: AuditQuery) {
  let { belowNumber } = asked;
  for (;;) {
    const below = belowNumber === undefined ? {} : { belowNumber };
    const { items } = await metadata.audit.list({ ...asked, ...below }, { limit: EXPORT_PAGE_SIZE, offset: 0 });
    const users = await usersOf(metadata, items);
    yield items.map((entry) => presentAuditEntry(entry, users));
    if (items.length < EXPORT_PAGE_SIZE) return;
    belowNumber = items.at(-1)?.number;
  }
}

async function* jsonLines(metadata: MetadataStore, asked: AuditQuery) {
  for await (const page of pagesOf(metadata, asked)) {
    if (page.length > 0) yield page.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  }
}

async function* csvLines(metadata: MetadataStore, asked: AuditQuery, cells: CsvCells) {
  yield csvLine(AUDIT_COLUMNS, cells);
  for await (const page of pagesOf(metadata, asked)) {
    if (page.length > 0) yield page.map((entry) => csvLine(auditCells(entry), cells)).join('');
  }
}

function readFormat(query: Query): 'json' | 'jsonl' | 'csv' {
  const format = queryText(query, 'format') || 'json';
  if (format === 'json' || format === 'jsonl' || format === 'csv') return format;
  throw invalid('format', 'The format is json, jsonl or csv.');
}

async function readAuditQuery(metadata: MetadataStore, organizationId: string, query: Query): Promise<AuditQuery> {
  const [after, before] = [readTime(query, 'after'), readTime(query, 'before')];
  const [scope, activity, uuid] = ['scope', 'activity', 'user'].map((name) => queryText(query, name) || undefined);
  // Somebody who does not exist has done nothing.
  const userId = uuid === undefined ? undefined : ((await metadata.users.getByUuid(uuid))?.id ?? 0);
  return {
    organizationId,
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(scope === undefined ? {} : { scope }),
    ...(activity === undefined ? {} : { activity }),
    ...(userId === undefined ? {} : { userId }),
  };
}

function readTime(query: Query, name: 'after' | 'before'): number | undefined {
  const text = queryText(query, name);
  if (!text) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw invalid(name, 'This is no time: write it as 2026-01-31 or 2026-01-31T12:00:00Z.');
  return time;
}
