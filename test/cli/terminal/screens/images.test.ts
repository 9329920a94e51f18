import { describe, expect, it } from "vitest";
import { inputImageByteLimit, inputImageLimit } from "../../../../orchestrator/contract/session/input.ts";
import { pastedImagePath } from "../../../../cli/terminal/composer/attached-image.ts";
import { inputImageBytes, inputImages } from "../../../../cli/terminal/composer/input-bound.ts";
import { openHostScene } from "../../../support/terminal/host-terminal.ts";

/** The smallest PNG there is: one pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("images in the composer", { timeout: 240_000 }, () => {
  it("are known by what terminals paste for a file", () => {
    expect(pastedImagePath("/a/b.png\n")).toBe("/a/b.png");
    expect(pastedImagePath("'/a/b c.JPG'")).toBe("/a/b c.JPG");
    expect(pastedImagePath("/a/b\\ c.webp")).toBe("/a/b c.webp");
    expect(pastedImagePath("file:///a/b%20c.gif")).toBe("/a/b c.gif");
    for (const text of ["look at b.png", "b.txt", "a.png\nb.png", "file:///%.png", ".png.exe"])
      expect(pastedImagePath(text), text).toBeUndefined();
    expect([inputImages, inputImageBytes]).toEqual([inputImageLimit, inputImageByteLimit]);
  });

  it("go to the model with the text that they stand in, from the command line and by a paste", async () => {
    await using scene = await openHostScene();
    const [first, second] = ["first.png", "second one.png"].map((name) => scene.pit.write(name, pixel));
    const text = scene.pit.write("text.png", "no image");
    await using terminal = await scene.terminal(["-i", first ?? ""]);
    await terminal.shows("❯ [image first.png]\nREPL");
    await terminal.type("and ");
    await terminal.paste(`'${second ?? ""}'`);
    await terminal.shows("❯ [image first.png] and [image second one.png]\nREPL");
    await terminal.keys("Enter");
    await terminal.shows("+ 2 images");
    await terminal.shows("You said: ");
    const { text: body } = await scene.model.arrived(1);
    expect(body.split(pixel.toString("base64"))).toHaveLength(3);
    expect(body).toContain(`${first ?? ""} and ${second ?? ""}`);
    // What is no image stays the text that it is.
    await terminal.paste(text);
    await terminal.shows("is no PNG, JPEG, GIF or WebP image by its content.");
    await terminal.shows(`❯ ${text}`);
    await using refused = await scene.terminal(["resume", "--image", `${first ?? ""},${text}`]);
    await refused.ended(64);
    expect((await refused.history()).join("\n")).toContain("--image: ");
  });
});
