import {
  DataFormStream,
  double,
  keyword,
  printDataForm,
  readDataForm,
  type DataForm,
  type StreamReadOptions,
} from "../lisp/data-forms/index.ts";

/** One figure of the reader's throughput. */
export interface ReaderFigure {
  readonly what: string;
  readonly megabytesPerSecond: number;
}

const limits = { maxBytes: 1 << 28, maxDepth: 128, maxNodes: 1 << 26, maxStringCharacters: 1 << 26 };
const options: StreamReadOptions = { limits };

/** A journal-like document: property lists with keywords, short and long strings, integers, floats and nesting. */
function record(seq: number): DataForm {
  return [
    keyword("tool-result"),
    ...[keyword("seq"), seq, keyword("time"), 3_990_000_000 + seq, keyword("call-id"), `call_${seq}`],
    ...[
      keyword("status"),
      keyword("ok"),
      keyword("cpu"),
      double(seq / 7),
      keyword("cached-p"),
      seq % 2 === 0,
    ],
    ...[keyword("output"), `line ${seq}: the quick brown fox jumps over the "lazy" dog\n`.repeat(seq % 9)],
    ...[keyword("usage"), [keyword("input-tokens"), seq * 3, keyword("output-tokens"), seq % 100]],
  ];
}

/** The median of five runs of `work` over `bytes` bytes, in MB per second of processor time: other load does not count. */
function throughput(bytes: number, work: () => void): number {
  const seconds = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  }).sort((left, right) => left - right);
  return bytes / 1e6 / (seconds[2] as number);
}

/** Throughput of the bounded reader on about 8 MB, whole and as a stream of 64 KiB pieces, and of the printer. */
export function benchReader(): ReaderFigure[] {
  const records = Array.from({ length: 20_000 }, (_, seq) => record(seq));
  const stream = Buffer.from(records.map((form) => printDataForm(form)).join("\n"));
  const document = Buffer.concat([Buffer.from("("), stream, Buffer.from(")")]);
  const readStream = (): void => {
    const reader = new DataFormStream(options);
    for (let at = 0; at < stream.length; at += 65_536) reader.push(stream.subarray(at, at + 65_536));
    reader.end();
  };
  const figures: readonly [string, () => void][] = [
    ["read one document", () => readDataForm(document, options)],
    ["read a stream of 64 KiB pieces", readStream],
    ["print", () => records.forEach((form) => printDataForm(form))],
  ];
  return figures.map(([what, work]) => ({ what, megabytesPerSecond: throughput(stream.length, work) }));
}

if (import.meta.main) {
  for (const { what, megabytesPerSecond } of benchReader()) {
    process.stdout.write(`${what}: ${megabytesPerSecond.toFixed(0)} MB/s\n`);
  }
}
