/** The only property that sessions have: how many seconds lie between their first event and their last. */
export const SESSION_DURATION = '$session_duration';
