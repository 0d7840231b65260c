/** Prompts: texts of ours with a place for arguments, which are quoted as data. */
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts';
import { quoteArgument } from '../rules/mark-data.ts';

interface Prompt {
  name: string;
  description: string;
  argument?: { name: string; description: string };
  text: (argument: string) => string;
}

const PROMPTS: readonly Prompt[] = [
  {
    name: 'investigate_drop',
    description: 'Find out why the numbers of an insight fell.',
    argument: { name: 'insight', description: 'Id or short id.' },
    text: (insight) =>
      `Read the insight ${insight} with insight_get and find the period in which it fell. Split it by page, source, device and country with trends_run and web_breakdown, and say which part lost most. Then look at what changed just before with activity_list, above all flags, and say what speaks for and against each cause. Change nothing.`,
  },
  {
    name: 'review_flag',
    description: 'Check a feature flag before it is changed or removed.',
    argument: { name: 'key', description: 'Key of the flag.' },
    text: (key) =>
      `Read the flag ${key} with flag_get. Say in plain words who gets which value and why, whether its conditions can be reached, how often it was used lately, and what activity_list says about its last changes. With flag_blast_radius, say how many users it reaches. Name what you would change; change nothing.`,
  },
  {
    name: 'clean_up_flags',
    description: 'Find feature flags that can go.',
    text: () =>
      'List stale flags with flags_list (stale: true), and look at each with flag_get. For each say since when everybody has had the same value, whether it is still evaluated, and whether the code can lose it. Sort them by how safe it is. Change nothing.',
  },
  {
    name: 'weekly_report',
    description: 'Sum up the week of a dashboard.',
    argument: { name: 'dashboard', description: 'Id.' },
    text: (dashboard) =>
      `Read the dashboard ${dashboard} with dashboard_get. For each insight compare the last full week with the one before. Write a report of at most 200 words: what rose, what fell, what is likely chance, and what to look at next. Name numbers with their unit and period.`,
  },
];

export const listPrompts = (): JsonObject[] =>
  PROMPTS.map(({ name, description, argument }) => ({
    name,
    description,
    ...(argument === undefined ? {} : { arguments: [{ ...argument, required: true }] }),
  }));

/** Null: there is none of this name, or its argument is missing. */
export function getPrompt({ name, arguments: given }: JsonObject): JsonObject | null {
  const prompt = PROMPTS.find((one) => one.name === name);
  if (prompt === undefined) return null;
  const value = prompt.argument && isJsonObject(given) ? given[prompt.argument.name] : undefined;
  if (prompt.argument !== undefined && (typeof value !== 'string' || value === '')) return null;
  const text = prompt.text(typeof value === 'string' ? quoteArgument(value) : '');
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
