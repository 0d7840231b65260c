export function verdictOn(text: string): { kind: 'clean' | 'grave' | 'unknown'; lines: string[] };
