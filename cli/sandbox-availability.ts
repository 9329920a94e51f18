/** Whether this machine can sandbox commands, for those who only need to know. */
import { resolveRoots } from "../orchestrator/record/roots.ts";
import { LazySandbox, hiddenDirectories } from "./machine.ts";

/** Why no sandbox is possible here, or undefined when one is. */
export async function sandboxProblem(): Promise<string | undefined> {
  const sandbox = new LazySandbox(process.env, () => hiddenDirectories(resolveRoots(process.env)));
  try {
    return await sandbox.problem();
  } finally {
    await sandbox.close();
  }
}
