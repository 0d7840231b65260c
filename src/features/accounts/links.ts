/** Browsers do not send the fragment, so no log of a server or proxy has the token. */
export const inviteLink = (origin: string, id: string, token: string): string =>
  `${origin}/invite/${id}#token=${token}`;

export const setupLink = (origin: string, token: string): string => `${origin}/setup#token=${token}`;

export const resetLink = (origin: string, userUuid: string, token: string): string =>
  `${origin}/reset/${userUuid}#token=${token}`;
