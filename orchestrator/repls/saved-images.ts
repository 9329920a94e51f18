/** Images of REPLs that were saved under a name: `lisp-images/` of the data root, a file of the heap and one that says what it is. */
import { mkdir, readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import {
  formToJson,
  jsonToForm,
  keyword,
  listElements,
  prettyPrintDataForm,
  readDataForm,
} from "../../lisp/data-forms/index.ts";
import { AutolithError } from "../contract/failure.ts";
import type { LispImage, SavedLispImage } from "../contract/lisp-image.ts";
import { errnoOf } from "../record/failure.ts";
import { publishFile } from "../record/publication.ts";

/** Saved images of one user. */
export const savedImageLimit = 32;

export const imageNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, "an image name is 1 to 64 of a-z, 0-9 and -, a letter first");

const describedSchema = z.object({
  name: imageNameSchema,
  note: z.string(),
  build: z.string(),
  savedAtMs: z.number(),
  package: z.string(),
  objects: z.number(),
  bytes: z.number(),
});

/** What is known of a saved image. Instants are epoch milliseconds. */
export type DescribedImage = z.infer<typeof describedSchema>;

const limits = { maxBytes: 65_536, maxDepth: 8, maxNodes: 256, maxStringCharacters: 16_384 };

export class SavedImages {
  readonly #directory: string;

  constructor(dataRoot: string) {
    this.#directory = join(dataRoot, "lisp-images");
  }

  /** Saved images by name. One whose description cannot be read is left out. */
  async list(): Promise<readonly DescribedImage[]> {
    const names = (await this.#names()).toSorted();
    const found = await Promise.all(names.map((name) => this.find(name)));
    return found.filter((each) => each !== undefined);
  }

  /** Undefined when there is none of that name that could be started from. */
  async find(name: string): Promise<DescribedImage | undefined> {
    try {
      const text = await readFile(this.#pathOf(name, "sexp"), "utf8");
      const [, ...fields] = listElements(readDataForm(text, { limits })) ?? [];
      const described = describedSchema.safeParse(formToJson(fields[0] ?? false));
      if (!described.success || described.data.name !== name) return undefined;
      await stat(this.#pathOf(name, "image"));
      return described.data;
    } catch {
      // What is not there whole cannot be started from.
      return undefined;
    }
  }

  /** The file of a saved image. Rejects with `unknown-image`, naming those that there are. */
  async pathOf(name: string): Promise<string> {
    if ((await this.find(name)) !== undefined) return this.#pathOf(name, "image");
    const names = (await this.list()).map((each) => each.name);
    throw new AutolithError(
      "unknown-image",
      `There is no saved image ${name}. ${names.length === 0 ? "None is; lisp.save-image saves one." : `There are: ${names.join(", ")}.`}`,
    );
  }

  /** Saves an image, in place of an earlier one of that name. Rejects with `image-limit` and as {@link LispImage.save}. */
  async save(name: string, note: string, image: LispImage): Promise<DescribedImage> {
    const names = await this.#names();
    if (!names.includes(name) && names.length >= savedImageLimit)
      throw new AutolithError(
        "image-limit",
        `${names.length} images are saved and at most ${savedImageLimit} may be: ${names.join(", ")}. Save under one of these names, or remove files in ${this.#directory}.`,
      );
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const saved = await image.save(this.#pathOf(name, "image"), { note });
    const described = describedOf(name, saved);
    const form = [keyword("lisp-image"), jsonToForm(described)];
    await publishFile(this.#pathOf(name, "sexp"), `${prettyPrintDataForm(form)}\n`);
    return described;
  }

  async #names(): Promise<readonly string[]> {
    try {
      const files = await readdir(this.#directory);
      return files.flatMap((file) => /^([a-z][a-z0-9-]*)\.sexp$/.exec(file)?.[1] ?? []);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  #pathOf(name: string, extension: "image" | "sexp"): string {
    return join(this.#directory, `${imageNameSchema.parse(name)}.${extension}`);
  }
}

function describedOf(
  name: string,
  { note, build, savedAtMs, package: home, objects, bytes }: SavedLispImage,
): DescribedImage {
  return { name, note, build, savedAtMs, package: home, objects, bytes };
}
