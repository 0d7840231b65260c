/**
 * What the message is about; `notice`: about a target or a digest that was paused, or an invitation to a digest; `audit`:
 * an entry of the audit log; `experiment`: a step of an experiment; `flag`: a change of a flag that was not made, or that waits for approval.
 */
export const DELIVERY_KINDS = ['alert', 'test', 'notice', 'audit', 'experiment', 'digest', 'flag'] as const;

/** The project of messages about an organization, whose `subjectId` is then its id. */
export const NO_PROJECT = 0;

export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/**
 * `waiting` until `dueAt`; `sending`: an attempt was begun that may arrive, and counts as running until `dueAt`; `unknown`:
 * it is not known whether a mail was sent; `skipped`: there was no reason to send it any more.
 */
export const DELIVERY_STATES = ['waiting', 'sending', 'sent', 'failed', 'unknown', 'skipped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
