/** The texts of mail about accounts. */

interface InvitationMail {
  organization: string;
  inviter: string;
  link: string;
  message: string | null;
}

export const invitationMail = ({ organization, inviter, link, message }: InvitationMail) => ({
  subject: `Invitation to ${oneLine(organization)} on Cairn`,
  text: [
    `${oneLine(inviter)} invites you to ${oneLine(organization)} on Cairn.`,
    ...(message ? [message] : []),
    'Open this link to join. It works once, for three days:',
    link,
    'If you did not expect this, ignore it: nothing happens without the link.',
  ].join('\n\n'),
});

export const passwordResetMail = (link: string) => ({
  subject: 'Choose a new password for Cairn',
  text: [
    'Somebody asked for a new password for your Cairn account. Open this link to choose one. It works once, for an hour:',
    link,
    'If it was not you, ignore this mail: your password stays as it is.',
  ].join('\n\n'),
});

export const passwordChangedMail = () => ({
  subject: 'Your password for Cairn was changed',
  text: [
    'The password of your Cairn account was changed with a link, and all sessions have ended.',
    'If it was not you, tell an admin of your organization at once.',
  ].join('\n\n'),
});

export const breakGlassMail = (email: string, at: Date) => ({
  subject: 'Cairn was entered without single sign-on',
  text: [
    `${oneLine(email)} signed in with password and second factor at ${at.toISOString()}, past the provider of single sign-on.`,
    'The session lasts an hour. If nobody had to do this, end it under Members and roles, and change the password.',
  ].join('\n\n'),
});

/** Names are chosen by people: they must not add lines, and with them headers or a text of their own. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
