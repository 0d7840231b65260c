import type { Static } from '@sinclair/typebox';
import type { StatusSchema } from '../../../src/operate/status/status-schemas.ts';
import { get } from './request.ts';

export type Status = Static<typeof StatusSchema>;

export const getStatus = (signal?: AbortSignal): Promise<Status> =>
  get<Status>('/api/server_status/', undefined, signal);
