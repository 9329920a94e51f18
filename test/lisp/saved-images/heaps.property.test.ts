import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bootImage } from "../../../lisp/image/boot.ts";
import { restoreImage } from "../../../lisp/saved-images/restore-image.ts";
import { saveImage } from "../../../lisp/saved-images/save-image.ts";
import { arbitraryHeap, difference } from "./arbitrary-heaps.ts";

describe("a heap", () => {
  it("comes back as it was, with its shared and circular parts", () => {
    fc.assert(
      fc.property(arbitraryHeap, (make) => {
        const image = bootImage();
        const name = "AUTOLITH:*HEAP*";
        image.symbol(name).value = make(image);
        const { image: restored } = restoreImage(saveImage(image));
        expect(difference(image.symbol(name).value, restored.symbol(name).value)).toBeNull();
      }),
      { numRuns: 40 },
    );
  });

  it("gives the same bytes when it is saved again after it was restored", () => {
    fc.assert(
      fc.property(arbitraryHeap, (make) => {
        const image = bootImage();
        image.symbol("AUTOLITH:*HEAP*").value = make(image);
        const first = restoreImage(saveImage(image, { package: "AUTOLITH" })).image;
        const second = restoreImage(saveImage(first, { package: "AUTOLITH" })).image;
        const [a, b] = [first, second].map((each) => each.symbol("AUTOLITH:*HEAP*").value);
        expect(difference(a!, b!)).toBeNull();
        expect(saveImage(second, { package: "AUTOLITH" }).length).toBe(
          saveImage(first, { package: "AUTOLITH" }).length,
        );
      }),
      { numRuns: 10 },
    );
  });
});
