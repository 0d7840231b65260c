/** The only property of sessions: the seconds between their first and last event. */
export const SESSION_DURATION = '$session_duration';
