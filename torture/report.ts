export type Report = (text: string) => void;

const MAX_OF_A_KIND = 50;

/** Each check has a report of its own, so that many violations of one kind do not hide another. */
export function reportTo(violations: string[]): Report {
  let reported = 0;
  return (text) => {
    if (reported++ < MAX_OF_A_KIND) violations.push(text);
  };
}
