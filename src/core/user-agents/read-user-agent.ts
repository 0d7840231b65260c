import { type Bot, readBot } from './read-bot.ts';
import { type Device, readDevice } from './read-device.ts';

interface UserAgent {
  device: Device;
  bot: Bot | undefined;
}

/** Nobody's is longer; what follows is not read. */
export const MAX_USER_AGENT_LENGTH = 1000;
const CACHE_SIZE = 4096;

/** Reading one takes 20 µs, and few different ones make up nearly all events. */
let recent = new Map<string, UserAgent>();
let older = new Map<string, UserAgent>();

/** Undefined where it is empty. */
export function readUserAgent(text: string): UserAgent | undefined {
  const agent = text.length > MAX_USER_AGENT_LENGTH ? text.slice(0, MAX_USER_AGENT_LENGTH) : text;
  if (agent === '') return undefined;
  const known = recent.get(agent);
  return known ?? remember(agent, older.get(agent) ?? { device: readDevice(agent), bot: readBot(agent) });
}

/** Two generations: what is used stays, however many others come. */
function remember(agent: string, read: UserAgent): UserAgent {
  if (recent.size >= CACHE_SIZE / 2) [older, recent] = [recent, new Map()];
  recent.set(agent, read);
  return read;
}
