/** Differences of two texts by lines, bounded: a change of a file as people read it. */

export type DiffLine = {
  readonly mark: " " | "+" | "-";
  readonly text: string;
  /** From 1: the line's number in the text it is in. */
  readonly number: number;
};

/** Lines that belong together, with a few unchanged ones around them. */
export type Hunk = readonly DiffLine[];

export type Difference = {
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
};

/** Unchanged lines around a change. */
const contextLines = 2;
/** Edit distance up to which the shortest difference is looked for; beyond it everything between counts as replaced. */
const distanceLimit = 400;

/** The difference of two texts; `null` is a file that was not there. */
export function difference(before: string | null, after: string): Difference {
  const [left, right] = [linesOf(before ?? ""), linesOf(after)];
  const lines = allLines(left, right);
  return {
    hunks: hunksOf(lines),
    added: lines.filter(({ mark }) => mark === "+").length,
    removed: lines.filter(({ mark }) => mark === "-").length,
  };
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function allLines(left: readonly string[], right: readonly string[]): readonly DiffLine[] {
  const most = Math.min(left.length, right.length);
  let start = 0;
  while (start < most && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < most - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  const [a, b] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  const marks = editScript(a, b) ?? [...a.map(() => "-" as const), ...b.map(() => "+" as const)];
  return numbered([...Array<" ">(start).fill(" "), ...marks, ...Array<" ">(end).fill(" ")], left, right);
}

function numbered(
  marks: readonly DiffLine["mark"][],
  left: readonly string[],
  right: readonly string[],
): readonly DiffLine[] {
  let [i, j] = [0, 0];
  return marks.map((mark) => {
    const isLeft = mark === "-";
    const number = isLeft ? i + 1 : j + 1;
    const text = (isLeft ? left[i] : right[j]) ?? "";
    if (mark !== "+") i += 1;
    if (mark !== "-") j += 1;
    return { mark, text, number };
  });
}

/** The shortest edit script by the greedy algorithm of Myers; undefined beyond {@link distanceLimit}. */
function editScript(a: readonly string[], b: readonly string[]): readonly DiffLine["mark"][] | undefined {
  const most = Math.min(a.length + b.length, distanceLimit);
  const trace: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let distance = 0; distance <= most; distance += 1) {
    trace.push(new Map(reach));
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      let x = goesDown(reach, diagonal, distance)
        ? (reach.get(diagonal + 1) ?? 0)
        : (reach.get(diagonal - 1) ?? 0) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
      reach.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return marksOf(trace, a.length, b.length);
    }
    reach = new Map(reach);
  }
  return undefined;
}

function goesDown(reach: ReadonlyMap<number, number>, diagonal: number, distance: number): boolean {
  if (diagonal === -distance) return true;
  return diagonal !== distance && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1);
}

function marksOf(trace: readonly Map<number, number>[], width: number, height: number): DiffLine["mark"][] {
  const marks: DiffLine["mark"][] = [];
  let [x, y] = [width, height];
  for (let distance = trace.length - 1; distance >= 0; distance -= 1) {
    const reach = trace[distance] ?? new Map<number, number>();
    const diagonal = x - y;
    const previous = goesDown(reach, diagonal, distance) ? diagonal + 1 : diagonal - 1;
    const previousX = reach.get(previous) ?? 0;
    const previousY = previousX - previous;
    while (x > Math.max(0, previousX) && y > Math.max(0, previousY)) {
      marks.push(" ");
      [x, y] = [x - 1, y - 1];
    }
    if (distance > 0) marks.push(x === previousX ? "+" : "-");
    [x, y] = [previousX, previousY];
  }
  return marks.reverse();
}

function hunksOf(lines: readonly DiffLine[]): readonly Hunk[] {
  const hunks: DiffLine[][] = [];
  let end = -1;
  lines.forEach(({ mark }, index) => {
    if (mark === " ") return;
    const from = Math.max(0, index - contextLines, end);
    const to = Math.min(lines.length, index + contextLines + 1);
    if (end >= 0 && from <= end) hunks.at(-1)?.push(...lines.slice(end, to));
    else hunks.push(lines.slice(from, to));
    end = Math.max(end, to);
  });
  return hunks;
}
