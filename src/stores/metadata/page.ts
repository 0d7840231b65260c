export interface Page {
  limit: number;
  offset: number;
}

export interface Paged<T> {
  count: number;
  items: T[];
}
