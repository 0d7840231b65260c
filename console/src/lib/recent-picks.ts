/** What was picked last in this browser, such as events and properties, newest first. */
const MAX_RECENT = 5;

type Subject = 'events' | 'properties';
const keyOf = (projectId: number, subject: Subject): string => `cairn.recent.${projectId}.${subject}`;

export function recentPicks(projectId: number, subject: Subject): string[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(keyOf(projectId, subject)) ?? '[]');
    return Array.isArray(read) ? read.filter((one) => typeof one === 'string').slice(0, MAX_RECENT) : [];
  } catch {
    return [];
  }
}

export function rememberPick(projectId: number, subject: Subject, value: string): void {
  const next = [value, ...recentPicks(projectId, subject).filter((one) => one !== value)].slice(0, MAX_RECENT);
  try {
    localStorage.setItem(keyOf(projectId, subject), JSON.stringify(next));
  } catch {
    // Without storage there is no list of recent picks.
  }
}
