import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Share of V8's heap limit that Lisp data may take before STORAGE-CONDITION is signalled. */
const softShare = 0.75;
/** Share by which the bound rises each time it is hit, so that a handler has room. */
const reserveShare = 0.05;

/**
 * Watches the heap: gives the bound in megabytes when live data exceed it, else null. A heap that looks full is collected first,
 * because V8 counts garbage as used. Each hit raises the bound a little, up to where V8 itself gives up; it falls back when
 * the heap has shrunk.
 */
export function heapWatch(): () => number | null {
  let hits = 0;
  return () => {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    if (hits > 0 && used < softShare * 0.8 * limit) hits = 0;
    const bound = Math.min(softShare + reserveShare * hits, 0.95) * limit;
    if (used < bound) return null;
    collectGarbage();
    if (getHeapStatistics().used_heap_size < bound) return null;
    hits++;
    return Math.round(bound / 1e6);
  };
}

/** A full collection. The flag only makes the function visible to the context made here. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
}
