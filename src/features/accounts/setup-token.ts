/** Under this name the digest of a set-up link that has not been used is kept. */
export const SETUP_TOKEN = 'setup_token';
