export function readAudit(text: string): { kind: 'clean' | 'severe' | 'unknown'; lines: string[] };
