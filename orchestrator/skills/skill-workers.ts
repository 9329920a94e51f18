/** Disposable images for the code of skills: one for each call, ended before its result is read. */
import { AutolithError } from "../contract/failure.ts";
import type { LispImage, LispImages } from "../contract/lisp-image.ts";
import { defineBridge } from "../repls/worker-bridge.ts";
import { skillCodeLimits } from "./skill-limits.ts";
import { defineSkillPrelude } from "./skill-prelude.ts";
import type { SkillVerifications } from "./skill-verifications.ts";

export class SkillWorkers {
  readonly verifications: SkillVerifications;
  readonly #images: LispImages;
  readonly #running = new Set<LispImage | symbol>();
  #closed = false;

  constructor(images: LispImages, verifications: SkillVerifications) {
    this.#images = images;
    this.verifications = verifications;
  }

  /**
   * Does something in an image of its own, which is gone when this settles. Rejects with `skill-limit` when as many run as may, with
   * `shutting-down`, and with `image-ended`.
   */
  async use<Result>(workspace: string, work: (image: LispImage) => Promise<Result>): Promise<Result> {
    if (this.#closed)
      throw new AutolithError("shutting-down", "This host is shutting down and runs no code of skills.");
    if (this.#running.size >= skillCodeLimits.perHost)
      throw new AutolithError(
        "skill-limit",
        `The code of ${this.#running.size} skills runs in this host, and at most ${skillCodeLimits.perHost} may run at once. Wait for one of them to end.`,
        { retry: "retryable" },
      );
    const place = Symbol("opening");
    this.#running.add(place);
    let image: LispImage | undefined;
    try {
      image = await this.#images.open({
        heapMb: skillCodeLimits.heapMb,
        machine: { directory: workspace, files: { kind: "full" } },
      });
      this.#running.add(image);
      this.#running.delete(place);
      await defineBridge(image);
      await defineSkillPrelude(image);
      return await work(image);
    } finally {
      this.#running.delete(place);
      if (image !== undefined) {
        await image.terminate("its skill is done");
        this.#running.delete(image);
      }
    }
  }

  /** Ends everything; nothing starts any more. */
  async close(): Promise<void> {
    this.#closed = true;
    const images = [...this.#running].filter((each) => typeof each !== "symbol");
    await Promise.all(images.map((image) => image.terminate("the host is shutting down")));
  }
}
