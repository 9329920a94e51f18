import { constants } from "node:os";
import type { CommandEnd } from "../spawner/command-end.ts";
import type { StreamRecord } from "./capture-record.ts";
import { previewOf, previewShares } from "./output-preview.ts";
import type { OutputWindow } from "./output-window.ts";

/** One captured stream as a result shows it. */
export interface ReportedStream {
  readonly label: "output" | "stdout" | "stderr";
  readonly record: StreamRecord;
  readonly window: OutputWindow;
  /** `shell-log:…`, or undefined when nothing was retained. */
  readonly reference: string | undefined;
}

export interface ReportedCommand {
  readonly end: CommandEnd;
  readonly command: string;
  readonly sandboxed: boolean;
  readonly timeoutMs: number;
  /** One stream, or standard output and standard error. */
  readonly streams: readonly [ReportedStream] | readonly [ReportedStream, ReportedStream];
}

/** The text of a shell result: exit, what else happened, then each stream with its counts, reference and preview. */
export function shellReport(reported: ReportedCommand): string {
  const { end, streams } = reported;
  const shares = previewShares(streams.length === 2);
  const lines = [exitLine(end), ...remarks(reported)];
  for (const stream of streams) {
    lines.push(streamHeader(stream));
    const preview = previewOf(
      stream.window,
      stream.label === "stderr" ? shares.error : shares.output,
      stream.reference,
    );
    if (preview !== "") lines.push(preview.replace(/\n$/, ""));
  }
  return lines.join("\n");
}

/** `exit N`, `exit N (SIGNAL)` for the code a shell makes of a signal, or `exit unavailable (…)`. */
function exitLine({ exit }: CommandEnd): string {
  switch (exit.kind) {
    case "exited": {
      const signal = exit.code > 128 ? signalName(exit.code - 128) : undefined;
      return signal === undefined ? `exit ${exit.code}` : `exit ${exit.code} (128 + ${signal})`;
    }
    case "signalled":
      return `exit unavailable (ended by ${exit.signal})`;
    case "not-started":
      return `exit unavailable (not started: ${exit.message})`;
  }
}

function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

function remarks(reported: ReportedCommand): readonly string[] {
  const { end, sandboxed, timeoutMs } = reported;
  const lines: string[] = [];
  if (end.cause === "timeout") {
    lines.push(`timed out: the limit of ${timeoutMs / 1000} s passed and the command was ended.`);
  }
  if (end.cause === "cancelled") lines.push("cancelled: the command was ended.");
  if (end.survivorsEnded > 0 && end.cause === "exit") {
    lines.push(
      `${end.survivorsEnded} background ${end.survivorsEnded === 1 ? "process was" : "processes were"} still running ` +
        `when the shell exited and ${end.survivorsEnded === 1 ? "was" : "were"} ended. To keep one, run it in the ` +
        `foreground of a command with async: true.`,
    );
  }
  if (end.survivorsLeft > 0)
    lines.push(`${end.survivorsLeft} processes could not be ended and may still run.`);
  const failed = end.exit.kind !== "exited" || end.exit.code !== 0;
  const ran = failed && end.exit.kind !== "not-started" && end.cause !== "cancelled";
  if (ran && end.cause === "exit" && sandboxed) {
    lines.push("sandboxed: no network; only the workspace and /tmp are writable.");
  }
  if (ran && wantedInput(reported)) {
    lines.push("Interactive input is not available: standard input is empty and there is no terminal.");
  }
  return lines;
}

const inputWords =
  /EOF when reading|terminal prompts disabled|not (?:from )?a (?:tty|terminal)|no tty|failed tty|[Pp]assword: |^#\? $|a terminal is required|a password is required|Inappropriate ioctl|could not read (?:Username|Password)|Host key verification failed|EOFError|unable to prompt|problem with the editor|stdin is not/im;

/** Whether a failed command seems to have waited for a person; a guess that only adds a hint. */
function wantedInput({ command, streams }: ReportedCommand): boolean {
  const text = streams.map(({ window }) => {
    const { head, tail } = window.sample(6000);
    return `${head.toString("latin1")}${tail.toString("latin1")}`;
  });
  if (inputWords.test(text.join("\n"))) return true;
  return text.join("").trim() === "" && /(?:^|[\s;&|(])read\s/.test(command);
}

function streamHeader({ label, record, reference }: ReportedStream): string {
  const { observedBytes, retainedBytes, status } = record;
  if (observedBytes === 0 && record.failure === undefined) return `${label}: empty`;
  const counts =
    retainedBytes === observedBytes
      ? `${observedBytes} bytes`
      : `${observedBytes} bytes, of which ${retainedBytes} are retained`;
  const where = reference === undefined ? "" : ` ${reference}`;
  return `${label}: ${counts}${statusRemark(status)}${where}${record.failure === undefined ? "" : `\n${record.failure}`}`;
}

function statusRemark(status: StreamRecord["status"]): string {
  switch (status) {
    case "complete":
      return "";
    case "limit":
      return " (incomplete: the capture limit was reached)";
    case "failed":
      return " (incomplete: the capture could not be written)";
    case "cut":
      return " (incomplete: a process that could not be ended still holds it)";
    case "capturing":
      return " (still capturing)";
    case "interrupted":
      return " (interrupted)";
  }
}
