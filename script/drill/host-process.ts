/** Processes of a drill: the host that is killed, and the one that recovers. */
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Sandpit } from "../../test/support/cli/launch.ts";
import { type RecoveryReport, recoveryReportSchema } from "./host-protocol.ts";

/** Longest time that a host may take, in milliseconds; beyond it counts as hanging. */
const hostLimitMs = 1_000_000;
const hostMain = fileURLToPath(new URL("./host-main.ts", import.meta.url));

export type Host = {
  readonly child: ChildProcess;
  readonly ended: Promise<HostEnd>;
};

export type HostEnd = {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Starts `host-main.ts` with these arguments in the sandpit's workspace; `through` is a command that runs the one behind it. */
export function startHost(
  pit: Sandpit,
  baseUrl: string,
  args: readonly string[],
  more: {
    readonly through?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Host {
  const [program = "", ...rest] = [
    ...(more.through ?? []),
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    hostMain,
    ...args,
  ];
  const child = spawn(program, rest, {
    cwd: pit.workspace,
    env: {
      ...pit.environment,
      AUTOLITH_OPENAI_BASE_URL: baseUrl,
      AUTOLITH_TASK_MAX_DEPTH: "3",
      ...(process.env["NODE_COMPILE_CACHE"] === undefined
        ? {}
        : { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] }),
      ...more.environment,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<HostEnd>((settle) => {
    child.once("close", (status, signal) => settle({ status, signal, stdout, stderr }));
  });
  return { child, ended };
}

/** The end of a host; one that does not come is made, and shows as a signal nobody ordered. */
export async function endOf(host: Host): Promise<HostEnd & { readonly hung: boolean }> {
  const limit = new AbortController();
  const hung = delay(hostLimitMs, true, { signal: limit.signal }).catch(() => false);
  const first = await Promise.race([host.ended.then(() => false), hung]);
  limit.abort();
  if (first) host.child.kill("SIGKILL");
  return { ...(await host.ended), hung: first };
}

const nothingRecovered: RecoveryReport = { interrupted: [], queued: [], unanswered: [], settled: [] };

/** Opens the conversation (or, when there is none, a new one) in another host. */
export async function recover(
  pit: Sandpit,
  baseUrl: string,
  conversation: string,
  more: Parameters<typeof startHost>[3] = {},
): Promise<{ readonly report: RecoveryReport; readonly problem: string | undefined }> {
  const ended = await endOf(startHost(pit, baseUrl, ["recover", conversation, "out/result.sexp"], more));
  if (ended.status === 0 && ended.stderr === "")
    return { report: recoveryReportSchema.parse(JSON.parse(ended.stdout)), problem: undefined };
  const problem = `the recovery ended with status ${ended.status}${ended.hung ? " (it hung)" : ""}: ${ended.stderr.slice(-600)}`;
  return { report: nothingRecovered, problem };
}
