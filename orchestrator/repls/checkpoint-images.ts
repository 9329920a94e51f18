/** Saved images as checkpoints of jobs: `job.continuity` declares them, and a revival starts the named REPL from one. */
import type { CheckpointImages } from "../continuity/index.ts";
import { replNameSchema } from "../contract/job-catalog.ts";
import { replPlace } from "./repl-call.ts";
import type { Repls } from "./repls.ts";
import { imageNameSchema } from "./saved-images.ts";

export function checkpointImages(repls: Repls): CheckpointImages {
  return {
    isUsable: async ({ image, repl }) =>
      replNameSchema.safeParse(repl).success &&
      imageNameSchema.safeParse(image).success &&
      (await repls.saved.find(image)) !== undefined,
    start: async ({ image, repl }, context) => {
      await repls.start(replPlace(replNameSchema.parse(repl), context), image);
      return `REPL ${repl} runs from the saved image ${image}. Go on with lisp.eval there; what else the job did is not repeated.`;
    },
  };
}
