import { expect, it } from "vitest";
import { newExecutionId } from "../../../orchestrator/contract/identifiers.ts";
import { RecentExecutions, rememberedExecutions } from "../../../orchestrator/queue/recent-executions.ts";

it("remembers executions up to its bound and forgets the oldest", () => {
  const recent = new RecentExecutions();
  const ids = Array.from({ length: rememberedExecutions + 1 }, newExecutionId);
  for (const id of ids) expect(recent.add(id)).toBe(true);
  expect(recent.add(ids.at(-1) ?? newExecutionId())).toBe(false);
  expect(recent.add(ids[1] ?? newExecutionId())).toBe(false);
  expect(recent.add(ids[0] ?? newExecutionId())).toBe(true);
});
