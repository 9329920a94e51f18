/** Lisp of one host: its images come from threads, whose code is loaded with the first image. */
import type { LispImages } from "../orchestrator/contract/lisp-image.ts";
import { HostToolTable } from "../orchestrator/repls/host-tools.ts";
import type { HostLisp } from "../orchestrator/repls/lisp-executor.ts";
import type { Roots } from "../orchestrator/record/roots.ts";
import { SavedImages } from "../orchestrator/repls/saved-images.ts";
import { Repls } from "../orchestrator/repls/repls.ts";
import { knownSecretRemover, secretValues } from "../orchestrator/secrets/secret-removal.ts";
import { SkillVerifications } from "../orchestrator/skills/skill-verifications.ts";
import { SkillWorkers } from "../orchestrator/skills/skill-workers.ts";
import type { Environment } from "./machine.ts";

/** Loaded with the first image: most hosts never evaluate a form. */
export const lazyImages: LispImages = {
  open: async (options) => (await import("../workers/image/lisp-images.ts")).threadImages.open(options),
};

/** The named REPLs of a host; whoever opens them closes them. */
export function hostLisp(environment: Environment, { data }: Pick<Roots, "data">): HostLisp {
  return {
    repls: new Repls({ images: lazyImages, saved: new SavedImages(data), now: Date.now }),
    hostTools: new HostToolTable(),
    skills: new SkillWorkers(lazyImages, new SkillVerifications(data, Date.now)),
    withoutSecrets: knownSecretRemover(secretValues(environment)),
  };
}
