import type { Caller } from '../../../access/callers.ts';
import { forbidden } from '../../../core/errors.ts';

export function requireSelf(caller: Caller, id: string | undefined): void {
  if (id !== '@me' && id !== caller.user.uuid) throw forbidden();
}
