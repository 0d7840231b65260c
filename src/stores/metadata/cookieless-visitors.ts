/** Visitors without cookies, see `core/cookieless`; they are written by the processor. */
export interface CookielessVisitorStore {
  /** 0 for a visitor who is not known. */
  countSignIns(projectId: number, base: string): Promise<number>;
  deleteExpired(now: number): Promise<void>;
}
