import { LString } from "../data/string.ts";
import { LispError, simpleError } from "../data/error.ts";
import { NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { Image } from "../image/image.ts";
import { HostFault, type HostFiles } from "../streams/host-port.ts";
import { ImageSaveError } from "./image-errors.ts";

function textOf(value: LispValue | undefined): string {
  return value instanceof LString ? value.toJS() : "";
}

/**
 * `SYS:%SAVE-IMAGE path note package`: saves the image to a file while the thread that asked for it waits. What does it is loaded
 * when it is first wanted.
 */
export function installImageSaving(image: Image, files: HostFiles): void {
  const save = async (path: string, note: string, pkg: string): Promise<LispValue> => {
    const asking = image.runtime.current;
    const { saveImageFile } = await import("./image-saving.ts");
    try {
      await saveImageFile(image, files, path, { note, package: pkg, asking });
      return NIL;
    } catch (error) {
      throw saveFault(error, path);
    }
  };
  image.defineWaiting("SYS:%SAVE-IMAGE", "path note package", (path, note, pkg) =>
    save(textOf(path), textOf(note), textOf(pkg)),
  );
}

/** What Lisp is told when saving fails. */
function saveFault(error: unknown, path: string): unknown {
  if (error instanceof ImageSaveError) return simpleError("SIMPLE-ERROR", "~A", LString.from(error.message));
  if (!(error instanceof HostFault)) return error;
  return new LispError("AUTOLITH-SYSTEM::SIMPLE-FILE-ERROR", [
    ["PATHNAME", LString.from(path)],
    ["FORMAT-CONTROL", "The image could not be saved: ~A."],
    ["FORMAT-ARGUMENTS", [LString.from(error.message)]],
  ]);
}
