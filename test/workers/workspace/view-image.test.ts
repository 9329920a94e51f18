import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { imageType, viewImageTool, viewedImageByteLimit } from "../../../workers/workspace/view-image.ts";
import { toolContext } from "./tool-context.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("fs.view-image", () => {
  it("gives the picture by what the file holds, not by its name", async () => {
    const context = toolContext();
    writeFileSync(join(context.workspace, "shot.txt"), png);
    for (const path of ["shot.txt", "workspace:shot.txt", join(context.workspace, "shot.txt")])
      expect(await viewImageTool().execute({ path }, context)).toMatchObject({
        status: "ok",
        images: [{ mimeType: "image/png", data: png.toString("base64") }],
      });
    expect(imageType(Buffer.from("RIFF....WEBPVP8 "))).toBe("image/webp");
  });

  it("refuses what is no image, too large, not there, a directory, or outside the workspace", async () => {
    const context = toolContext();
    const view = (path: string) => viewImageTool().execute({ path }, context);
    writeFileSync(join(context.workspace, "fake.png"), "no picture");
    writeFileSync(join(context.workspace, "big.png"), Buffer.alloc(viewedImageByteLimit + 1));
    await expect(view("fake.png")).rejects.toMatchObject({ code: "unsupported-image" });
    await expect(view("big.png")).rejects.toMatchObject({ code: "image-too-large" });
    await expect(view("none.png")).rejects.toMatchObject({ code: "not-found" });
    await expect(view(".")).rejects.toMatchObject({ code: "not-regular" });
    await expect(view("/etc/hostname")).rejects.toMatchObject({ code: "permission-denied" });
  });
});
