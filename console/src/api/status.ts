import { get } from './request.ts';
import type { Status } from './types.ts';

export const readStatus = (signal?: AbortSignal): Promise<Status> => get<Status>('/_status', undefined, signal);
