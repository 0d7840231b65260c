import { useEffect, useState } from 'preact/hooks';

interface Size {
  width: number;
  height: number;
}

/** The inner size of an element, 0 before it is known. */
export function useSize(element: { readonly current: HTMLElement | null }): Size {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(() => setSize({ width: current.clientWidth, height: current.clientHeight }));
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
