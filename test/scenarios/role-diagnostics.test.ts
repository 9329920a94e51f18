import { expect, it } from "vitest";
import { jobText, run } from "../support/cli/job-files.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { calls } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";

it("what is wrong in role files is told on stderr and to who chooses a role, and stops nothing", async () => {
  using pit = makeSandpit();
  pit.write(
    ".autolith/agents/lead.sexp",
    '(:name "lead" :description "d" :instructions "i"\n :spawns ("nobody"))',
  );
  pit.write(".autolith/agents/broken.sexp", '(:name "broken"');
  await using server = await startModelServer([
    calls([{ name: "task__agents", arguments: {} }]),
    calls([{ name: "yield__submit", arguments: { status: "success", data: { answer: "42" } } }]),
  ]);
  const ended = await run(pit, jobText({ role: "task" }), {
    environment: { AUTOLITH_OPENAI_BASE_URL: server.baseUrl },
  });
  expect(ended.status).toBe(0);
  expect(ended.stderr).toMatch(/project role "broken" in [^\n]*broken\.sexp, line 1/);
  expect(ended.stderr).toMatch(
    /project role "lead" in [^\n]*lead\.sexp, line 2, field :spawns: no role is called "nobody"/,
  );
  const listed = server.requests[1]?.text ?? "";
  expect(listed).toMatch(/:KIND :DIAGNOSTIC :SEVERITY :ERROR[^]*broken/);
  expect(listed).toMatch(/:KIND :DIAGNOSTIC :SEVERITY :WARNING[^]*nobody/);
});
