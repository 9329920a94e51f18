/** The role of each child as it was when its parent asked for it: what its run goes by and its result names, whatever becomes of the file. */
import type { ExecutionId } from "../contract/identifiers.ts";
import type { JobExecution } from "../jobs/supervisor.ts";
import type { RunnableRole } from "./child-role.ts";

/** Roles that are remembered: more than children may be live, and those that ended last. */
const rememberedRoles = 256;

export class JobRoles {
  readonly #find: (name: string) => Promise<RunnableRole>;
  readonly #roles = new Map<ExecutionId, RunnableRole>();

  constructor(find: (name: string) => Promise<RunnableRole>) {
    this.#find = find;
  }

  /** The execution, once it is admitted, is of this role. */
  note(executionId: ExecutionId, role: RunnableRole): void {
    this.#roles.set(executionId, role);
    const [oldest] = this.#roles.keys();
    if (this.#roles.size > rememberedRoles && oldest !== undefined) this.#roles.delete(oldest);
  }

  /** The role that a child runs as; of one that another host admitted, the role as it is now. Rejects as looking it up does. */
  async of({
    executionId,
    payload,
  }: Pick<JobExecution<"agent">, "executionId" | "payload">): Promise<RunnableRole> {
    const noted = this.#roles.get(executionId);
    if (noted !== undefined) return noted;
    const found = await this.#find(payload.role);
    this.note(executionId, found);
    return found;
  }

  /** The role of a child that was started here, while it is remembered. */
  known(executionId: ExecutionId): RunnableRole | undefined {
    return this.#roles.get(executionId);
  }
}
