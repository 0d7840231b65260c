/** PostHog's states. One that was canceled is `rejected`. */
export const REQUEST_STATES = ['pending', 'approved', 'applied', 'rejected', 'expired', 'failed'] as const;
export type RequestState = (typeof REQUEST_STATES)[number];

/** One that has waited for too long is expired at once, not when the leader notes it. */
export const stateAt = ({ state, expiresAt }: { state: RequestState; expiresAt: number }, now: number): RequestState =>
  state === 'pending' && expiresAt <= now ? 'expired' : state;
