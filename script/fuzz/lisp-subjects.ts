/** Lisp programs in an image without a machine. Whatever they do is a Lisp matter: no exception of JavaScript may show. */
import { fileURLToPath } from "node:url";
import { type LispImage, createImage } from "../../lisp/host/lisp-image.ts";
import { restoreLispImage, saveLispImage } from "../../lisp/host/saved-image.ts";
import { HostFault, type HostFiles, type HostPort } from "../../lisp/streams/host-port.ts";
import { nodeHostPort } from "../../lisp/streams/node-host.ts";
import { mutatedProgram, testForms, tokenSoup } from "./lisp-programs.ts";
import type { Random } from "./random.ts";
import { type FuzzSubject, expectThat } from "./subject.ts";

/** Programs that one image runs, so that what one leaves behind meets the next. */
const programsPerImage = 200;

/** Programs after which a saved image is saved and the next ones run in what is restored. */
const programsPerSaving = 20;

/** Most steps of one program. */
const stepLimit = 300_000;

/** Time after which a program that waits for the host is cancelled, in milliseconds. */
const longestMs = 2_000;

function refuse(): never {
  throw new HostFault("denied", "this image has no files");
}

/** Files that are not there. */
const noFiles: HostFiles = {
  currentDirectory: () => "/nowhere/",
  homeDirectory: () => "/nowhere/",
  open: refuse,
  info: () => undefined,
  canonical: () => undefined,
  list: refuse,
  rename: refuse,
  removeFile: refuse,
  removeDirectory: refuse,
  makeDirectory: refuse,
};

function portWithoutMachine(): HostPort {
  const { machine } = nodeHostPort();
  const terminal = {
    readInput: () => new Uint8Array(),
    inputReady: () => Promise.resolve(),
    inputPending: () => true,
    writeOutput: () => undefined,
    writeError: () => undefined,
    width: () => 80,
  };
  return { files: noFiles, terminal, machine };
}

/** Condition types and words by which an exception of JavaScript would show. */
const foreignText =
  /INTERNAL-ERROR|internal error|(?:Range|Type|Reference|Syntax)Error|undefined is not|Cannot (?:read|set|convert|mix)|is not a function|its report failed|at file:\/\//;

/** The image after it was saved and restored. */
function throughFile(image: LispImage): LispImage {
  return restoreLispImage(saveLispImage(image), { port: portWithoutMachine() }).lisp;
}

function subject(
  name: string,
  makeProgram: (random: Random, forms: ReturnType<typeof testForms>) => string,
  saves = false,
): FuzzSubject {
  let image: LispImage | null = null;
  let forms: ReturnType<typeof testForms> = [];
  let count = 0;
  return {
    name,
    run: async (random) => {
      if (forms.length === 0)
        forms = testForms(fileURLToPath(new URL("../../test/lisp/differential/chapters", import.meta.url)));
      if (count % programsPerImage === 0) image = createImage(portWithoutMachine());
      else if (saves && count % programsPerSaving === 0) image = throughFile(image!);
      count++;
      const program = makeProgram(random, forms);
      const timeout = AbortSignal.timeout(longestMs);
      const { result } = image!.evaluate(program, { stepLimit, signal: timeout });
      const end = await result;
      const condition = end.kind === "failed" ? end.condition : null;
      const shown =
        condition === null
          ? "reason" in end
            ? end.reason
            : ""
          : `${condition.type} ${condition.text} ${condition.slots.map(({ value }) => value).join(" ")}`;
      expectThat(
        !foreignText.test(shown),
        `no exception of JavaScript shows (${shown.slice(0, 900)})`,
        program,
      );
    },
  };
}

export const lispSubjects: readonly FuzzSubject[] = [
  subject("lisp-programs", mutatedProgram),
  subject("lisp-tokens", tokenSoup),
  subject("lisp-images", mutatedProgram, true),
];
