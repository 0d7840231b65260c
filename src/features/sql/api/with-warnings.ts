import type { FastifyReply } from 'fastify';
import { type StatementWarning, WARNING_HEADER, warningText } from '../rules/statement-warnings.ts';

/** A file has no place for them. */
export const withWarnings = (
  reply: FastifyReply,
  { warnings }: { warnings: readonly StatementWarning[] },
): FastifyReply => (warnings.length === 0 ? reply : reply.header(WARNING_HEADER, warningText(warnings)));
