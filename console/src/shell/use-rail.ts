/** Whether the navigation is a narrow rail of icons: below 1200 px unless opened, above only if collapsed. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { readStored, writeStored } from '../lib/stored.ts';

const NARROW = matchMedia('(width < 75rem)');
/** The choice is kept for narrow and wide windows apart: a laptop and its large screen want different ones. */
const keyOf = (isNarrow: boolean): string => `cairn-rail-${isNarrow ? 'narrow' : 'wide'}`;

function readRail(isNarrow: boolean): boolean {
  const stored = readStored(keyOf(isNarrow));
  return stored === null ? isNarrow : stored === 'true';
}

export function useRail(): [isRail: boolean, toggle: () => void] {
  const [isRail, setRail] = useState(() => readRail(NARROW.matches));
  useEffect(() => {
    const update = ({ matches }: MediaQueryListEvent): void => setRail(readRail(matches));
    NARROW.addEventListener('change', update);
    return () => NARROW.removeEventListener('change', update);
  }, []);
  const toggle = useCallback(() => {
    setRail((current) => {
      writeStored(keyOf(NARROW.matches), String(!current));
      return !current;
    });
  }, []);
  return [isRail, toggle];
}
