import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LispImage, LispImages } from "../../../orchestrator/contract/lisp-image.ts";
import { skillCodeLimits } from "../../../orchestrator/skills/skill-limits.ts";
import { SkillVerifications, isCurrent } from "../../../orchestrator/skills/skill-verifications.ts";
import { SkillWorkers } from "../../../orchestrator/skills/skill-workers.ts";

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "alsw-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Images without Lisp: what matters here is how many there are, and that each one is ended. */
function countedImages(): { readonly images: LispImages; readonly open: Set<LispImage> } {
  const open = new Set<LispImage>();
  const result = { kind: "values", values: [], package: "AUTOLITH", steps: 0, droppedOutput: 0 } as const;
  const images: LispImages = {
    open: () => {
      const image: Partial<LispImage> = {
        define: () => undefined,
        evaluate: () => Promise.resolve(result),
        terminate: () => Promise.resolve(void open.delete(image as LispImage)),
      };
      open.add(image as LispImage);
      return Promise.resolve(image as LispImage);
    },
  };
  return { images, open };
}

describe("images of skills", () => {
  it("are as many as may be, each ended with its work, whatever becomes of it", async () => {
    const { images, open } = countedImages();
    const workers = new SkillWorkers(images, new SkillVerifications(directory(), Date.now));
    const waiting = Promise.withResolvers<void>();
    const running = Array.from({ length: skillCodeLimits.perHost }, () =>
      workers.use("/w", () => waiting.promise),
    );
    await expect(workers.use("/w", () => Promise.resolve())).rejects.toMatchObject({
      code: "skill-limit",
      retry: "retryable",
      message: expect.stringContaining(String(skillCodeLimits.perHost)) as string,
    });
    waiting.resolve();
    await Promise.all(running);
    expect(open.size).toBe(0);
    await expect(workers.use("/w", () => Promise.reject(new Error("broke")))).rejects.toThrow("broke");
    expect(open.size).toBe(0);
    expect(await workers.use("/w", () => Promise.resolve(open.size))).toBe(1);
    await workers.close();
    await expect(workers.use("/w", () => Promise.resolve())).rejects.toMatchObject({ code: "shutting-down" });
  });
});

describe("verifications", () => {
  it("hold for the files they were made with, one for each skill and function, the newest kept", async () => {
    const root = directory();
    let now = 1_000;
    const open = (): SkillVerifications => new SkillVerifications(root, () => now);
    const source = join(root, "code.lisp");
    writeFileSync(source, "(first)");
    const made = { skill: "/s/SKILL.md", operation: "self-test", identity: "i", isPassed: true } as const;
    await open().keep({ ...made, isPassed: false }, [source]);
    now = 2_000;
    await open().keep(made, [source]);
    await open().keep({ ...made, operation: "verify" }, []);
    const [selfTest, verify, ...others] = await open().all();
    expect([selfTest?.isPassed, selfTest?.at, verify?.operation, others]).toEqual([
      true,
      2_000,
      "verify",
      [],
    ]);
    const isSame = (): Promise<boolean> =>
      selfTest === undefined ? Promise.resolve(false) : isCurrent(selfTest, "i");
    expect(await isSame()).toBe(true);
    expect(selfTest !== undefined && (await isCurrent(selfTest, "other"))).toBe(false);
    writeFileSync(source, "(second)");
    expect(await isSame()).toBe(false);
    rmSync(source);
    expect(await isSame()).toBe(false);
    // Too many files to look at: nobody can say that they are the same.
    const many = Array.from({ length: skillCodeLimits.sources + 1 }, (_, index) => `/none/${index}`);
    await open().keep({ ...made, skill: "/many" }, many);
    const last = (await open().all()).find(({ skill }) => skill === "/many");
    expect(last !== undefined && (await isCurrent(last, "i"))).toBe(false);
    writeFileSync(join(root, "skill-verifications.sexp"), "(broken");
    await expect(open().all()).rejects.toMatchObject({ code: "skill-verifications-unreadable" });
  });

  it("are not lost by hosts that verify at the same time", async () => {
    const root = directory();
    const skills = Array.from({ length: 8 }, (_, index) => `/s/${index}`);
    await Promise.all(
      skills.map((skill) =>
        new SkillVerifications(root, Date.now).keep(
          { skill, operation: "verify", identity: "i", isPassed: true },
          [],
        ),
      ),
    );
    const kept = (await new SkillVerifications(root, Date.now).all()).map(({ skill }) => skill);
    expect(kept.toSorted()).toEqual(skills);
  });
});
