/** Why bytes are no image that can be restored here. */
export type ImageFileFault =
  /** Not an image of this Lisp at all. */
  | "image-foreign"
  /** It ends early, or goes on after its end. */
  | "image-truncated"
  /** The checksum does not fit, or the contents contradict themselves. */
  | "image-corrupt"
  /** Made by another version of the format, the engine or the library. */
  | "image-incompatible"
  /** Over a bound of the one who restores. */
  | "image-too-large";

/** Bytes that are no image that can be restored here. Nothing of them has been executed. */
export class ImageFileError extends Error {
  readonly code: ImageFileFault;
  constructor(code: ImageFileFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ImageFileError";
    this.code = code;
  }
}

/** Why an image cannot be saved now. */
export type ImageSaveFault =
  /** Other evaluations are in flight. */
  | "image-busy"
  /** The library has been replaced on disk since the image was booted. */
  | "image-incompatible"
  /** Something that has no saved form is reachable. */
  | "image-unsavable"
  /** Over a bound. */
  | "image-too-large";

/** An image cannot be saved now; the message says what stands in the way and how to reach it. */
export class ImageSaveError extends Error {
  readonly code: ImageSaveFault;
  constructor(code: ImageSaveFault, message: string) {
    super(message);
    this.name = "ImageSaveError";
    this.code = code;
  }
}
