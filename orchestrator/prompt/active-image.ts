/**
 * The active image: the Lisp heap behind the prompt of one front. It is made when the first form needs it, shared by the conversations that come
 * in front one after the other, and ended with the last of them. An image that is lost is told; the next form makes a new one. A cancelled
 * evaluation that does not end within a bound takes the image with it.
 */
import { type Failure, failureOf } from "../contract/failure.ts";
import type {
  HostFunctionDefinition,
  LispEvaluationOptions,
  LispImage,
  LispImages,
  LispResult,
} from "../contract/lisp-image.ts";
import { boundedImage } from "./bounded-image.ts";
import { ImageExtensions } from "./image-extensions.ts";

export type ActiveImageParts = {
  readonly images: LispImages;
  /** Where relative names of files begin in a new image, absolute. */
  readonly directory: () => string;
  /** The functions of the host that a new image gets; asked when one is made. */
  readonly functions: () => readonly HostFunctionDefinition[];
  /** Lisp that a new image evaluates first. */
  readonly prelude: string;
  /** Loads what people initialize an image with. Its rejection is that of {@link ActiveImage.open}. */
  readonly initialize: (image: LispImage) => Promise<void>;
  readonly report: (failure: Failure) => void;
  /** Time that a cancelled evaluation gets to end before its image is ended; default as for named REPLs. */
  readonly cancelGraceMs?: number;
};

export class ActiveImage {
  readonly #parts: ActiveImageParts;
  readonly #users = new Set<object>();
  /** What Lisp has added to the sessions of this image. */
  readonly extensions = new ImageExtensions();
  #opening: Promise<LispImage> | undefined;
  #image: LispImage | undefined;

  constructor(parts: ActiveImageParts) {
    this.#parts = parts;
  }

  /** The image, when one is there; nothing is started. */
  get current(): LispImage | undefined {
    return this.#image;
  }

  /** True once somebody wanted it, until the image is gone. */
  get isStarted(): boolean {
    return this.#opening !== undefined;
  }

  /** Counts a user; the image ends with the last one that leaves. */
  join(user: object): void {
    this.#users.add(user);
  }

  async leave(user: object): Promise<void> {
    this.#users.delete(user);
    if (this.#users.size > 0) return;
    const opening = this.#opening;
    this.#forget();
    const image = await opening?.catch(() => undefined);
    await image?.terminate("its last conversation was closed");
  }

  /** The image, made now when there is none. Rejects when none can be made. */
  open(): Promise<LispImage> {
    this.#opening ??= this.#start();
    return this.#opening;
  }

  /** Evaluates in the image. Never rejects: without an image the result is `lost`. */
  async evaluate(source: string, options: LispEvaluationOptions): Promise<LispResult> {
    let image: LispImage;
    try {
      image = await this.open();
    } catch (error) {
      const reason = `no Lisp image could be made: ${failureOf(error).message}`;
      return { kind: "lost", reason, package: "", steps: 0, droppedOutput: 0 };
    }
    return image.evaluate(source, options);
  }

  async #start(): Promise<LispImage> {
    try {
      const opened = await this.#parts.images.open({
        machine: { directory: this.#parts.directory(), files: { kind: "full" } },
      });
      const image = boundedImage(opened, this.#parts.cancelGraceMs);
      image.define(this.#parts.functions());
      const prepared = await image.evaluate(this.#parts.prelude);
      if (prepared.kind !== "values") throw new PreludeError(prepared);
      this.#image = image;
      void image.ended.then((reason) => this.#ended(image, reason));
      await this.#parts.initialize(image);
      return image;
    } catch (error) {
      const image = this.#image;
      this.#forget();
      await image?.terminate("it could not be initialized");
      throw error;
    }
  }

  #ended(image: LispImage, reason: string): void {
    if (this.#image !== image) return;
    this.#forget();
    this.#parts.report({
      code: "image-lost",
      message: `The Lisp image of the prompt has ended (${reason}). The next form starts a new one; definitions made by forms are gone, those kept by self.* are made again.`,
      retry: "terminal",
    });
  }

  #forget(): void {
    this.#opening = undefined;
    this.#image = undefined;
    this.extensions.clear();
  }
}

/** What a new image must evaluate first did not return. */
class PreludeError extends Error {
  readonly code = "image-prelude";
  constructor(result: LispResult) {
    super(`preparing the image ended with ${JSON.stringify(result).slice(0, 500)}`);
  }
}
