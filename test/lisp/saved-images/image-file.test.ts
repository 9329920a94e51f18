import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { bootImage } from "../../../lisp/image/boot.ts";
import { loadText } from "../../../lisp/image/source-loading.ts";
import { ImageFileError } from "../../../lisp/saved-images/image-errors.ts";
import { decodeImage, encodeImage } from "../../../lisp/saved-images/image-file.ts";
import { restoreImage, type RestoreOptions } from "../../../lisp/saved-images/restore-image.ts";
import { saveImage } from "../../../lisp/saved-images/save-image.ts";

/** Code and text of the ImageFileError of restoring, or null when there is none. Anything else is thrown. */
function refusal(bytes: Uint8Array, options?: RestoreOptions): { code: string; message: string } | null {
  try {
    restoreImage(bytes, options);
    return null;
  } catch (error) {
    if (!(error instanceof ImageFileError)) throw error;
    return { code: error.code, message: error.message };
  }
}

describe("the file of an image", () => {
  let bytes: Uint8Array;
  beforeAll(() => {
    const image = bootImage();
    image.symbol("*PACKAGE*").value = image.findPackage("COMMON-LISP-USER")!;
    loadText(image, '(defvar *a* (list 1 2.5 "text" \'symbol)) (defun f (x) (list x *a*))');
    bytes = saveImage(image, { note: "a note" });
  });

  it("is small when the image is as it was booted", () => {
    expect(saveImage(bootImage()).length).toBeLessThan(4096);
  });

  it("says what it is without being restored", () => {
    const { stamp } = decodeImage(bytes);
    expect(stamp).toMatchObject({
      note: "a note",
      package: "COMMON-LISP-USER",
      build: bootImage().buildKey(),
    });
    expect(stamp.objects).toBeGreaterThan(5);
  });

  it("is refused when it is cut at any byte", () => {
    for (let length = 0; length < bytes.length; length++) {
      const { code } = refusal(bytes.subarray(0, length))!;
      expect([length, code]).toEqual([length, "image-truncated"]);
    }
  });

  it("is refused when anything follows it", () => {
    expect(refusal(Buffer.concat([bytes, Uint8Array.of(0)]))).toMatchObject({
      code: "image-truncated",
      message: expect.stringContaining(`${bytes.length + 1} bytes`) as string,
    });
  });

  it("is refused when any byte of it has changed", () => {
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.slice();
      changed[at]! ^= 1 + (at % 255);
      expect([at, refusal(changed)?.code]).toEqual([
        at,
        expect.stringMatching(/image-(foreign|corrupt|truncated|incompatible)/) as string,
      ]);
    }
  });

  it("is refused when it is something else", () => {
    expect(refusal(Buffer.from("(defun f (x) x)".repeat(100)))).toMatchObject({ code: "image-foreign" });
  });

  it("is refused by another build, which is named", () => {
    const parts = decodeImage(bytes);
    const other = encodeImage({ ...parts, stamp: { ...parts.stamp, build: "other-build" } });
    expect(refusal(other)).toMatchObject({
      code: "image-incompatible",
      message: expect.stringContaining("other-build") as string,
    });
  });

  it("is refused beyond bounds, with their numbers", () => {
    expect(refusal(bytes, { maximumBytes: 1000 })).toEqual({
      code: "image-too-large",
      message: `the image has ${bytes.length} bytes; the bound is 1000`,
    });
    expect(refusal(bytes, { maximumObjects: 3 })?.message).toMatch(
      /^the image holds \d+ objects; the bound is 3$/,
    );
  });

  it("is refused, or restored, when its contents make no sense although the checksum fits", () => {
    const parts = decodeImage(bytes);
    fc.assert(
      fc.property(fc.nat(parts.heap.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const heap = parts.heap.slice();
        heap[at]! ^= change;
        // Whatever comes out, it is an ImageFileError or an image; nothing loops or takes memory without bound.
        expect(["image-corrupt", "image-too-large", null]).toContain(
          refusal(encodeImage({ ...parts, heap }))?.code ?? null,
        );
      }),
      { numRuns: 60 },
    );
  });
});
