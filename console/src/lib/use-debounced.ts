import { useEffect, useState } from 'preact/hooks';

/** The value once it has stood still for a while: what somebody is typing is not asked about letter by letter. */
export function useDebounced<T>(value: T, ms = 200): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
