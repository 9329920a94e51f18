/**
 * Prints each finished case with its time, failures whole, the slowest cases, and one closing line; stops a suite that runs too long. With
 * `AUTOLITH_CHECK_FAILURES=FILE` it writes there, as JSON, what failed: `{cases: [{file, name}], files: [file…], unhandled: count}`.
 */
import { writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";

const slowestShown = 10;

class CheckReporter implements Reporter {
  readonly #timeoutMs = Number(process.env["AUTOLITH_CHECK_TIMEOUT_SECONDS"] ?? "600") * 1_000;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #finished: { readonly name: string; readonly ms: number; readonly state: string }[] = [];
  readonly #errors: string[] = [];
  readonly #failedCases: { readonly file: string; readonly name: string }[] = [];
  readonly #failedFiles = new Set<string>();

  onTestModuleStart(module: TestModule): void {
    const timer = setTimeout(() => {
      console.log(
        `check: ${module.relativeModuleId} is not done after ${this.#timeoutMs / 1_000} s; stopping.`,
      );
      process.exit(1);
    }, this.#timeoutMs);
    this.#timers.set(module.moduleId, timer);
  }

  onTestModuleEnd(module: TestModule): void {
    clearTimeout(this.#timers.get(module.moduleId));
    if (module.errors().length > 0) this.#failedFiles.add(module.relativeModuleId);
    for (const error of module.errors())
      this.#errors.push(`${module.relativeModuleId}: ${error.stack ?? error.message}`);
  }

  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    const ms = test.diagnostic()?.duration ?? 0;
    const name = `${test.module.relativeModuleId.replace(/^test\//, "")}: ${test.fullName}`;
    this.#finished.push({ name, ms, state: result.state });
    if (result.state !== "skipped")
      console.log(
        `${result.state === "passed" ? "ok  " : result.state === "failed" ? "FAIL" : "skip"} ${ms.toFixed(0).padStart(6)} ms  ${name}`,
      );
    if (result.state === "failed")
      this.#failedCases.push({ file: test.module.relativeModuleId, name: test.fullName });
    if (result.state === "failed")
      for (const error of result.errors)
        this.#errors.push(
          `${name}\n${error.stack ?? error.message}${error.diff === undefined ? "" : `\n${error.diff}`}`,
        );
  }

  onTestRunEnd(
    _modules: readonly TestModule[],
    unhandled: readonly { readonly message: string; readonly stack?: string | undefined }[],
  ): void {
    for (const error of unhandled) this.#errors.push(`unhandled: ${error.stack ?? error.message}`);
    for (const error of this.#errors) console.log(`\n${error}`);
    console.log("\nslowest:");
    for (const { name, ms } of this.#finished
      .filter(({ state }) => state !== "skipped")
      .sort((left, right) => right.ms - left.ms)
      .slice(0, slowestShown))
      console.log(`${(ms / 1_000).toFixed(2).padStart(8)} s  ${name}`);
    const failuresFile = process.env["AUTOLITH_CHECK_FAILURES"];
    if (failuresFile !== undefined)
      writeFileSync(
        failuresFile,
        JSON.stringify({
          cases: this.#failedCases,
          files: [...this.#failedFiles],
          unhandled: unhandled.length,
        }),
      );
    const count = (state: string): number => this.#finished.filter((entry) => entry.state === state).length;
    const failed = Math.max(count("failed"), this.#errors.length > 0 ? 1 : 0);
    console.log(`\nTests: ${count("passed")} passed, ${failed} failed, ${count("skipped")} skipped`);
    if (failed > 0) process.exitCode = 1;
  }
}

// vitest loads a reporter by the default export of its file.
export { CheckReporter as default };
