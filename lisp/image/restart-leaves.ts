import { typeError } from "../data/error.ts";
import { LStruct, StructLayout } from "../data/instance.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { NIL, setSymbolProperty } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/**
 * Restarts as structures: name, function, report function, interactive function, test function, and a list of the lambda list where the
 * function itself does not have it.
 */
export const installRestarts: LeafInstaller = (define, host) => {
  const names = ["NAME", "FUNCTION", "REPORT", "INTERACTIVE", "TEST", "PARAMETERS"].map((name) =>
    host.symbol(`SYS:${name}`),
  );
  const layout = new StructLayout(host.symbol("RESTART"), null, names);
  setSymbolProperty(layout.name, "structure-layout", layout);
  define(
    "SYS:%MAKE-RESTART",
    "name function report interactive test &optional parameters",
    (...slots: LispValue[]) =>
      new LStruct(
        layout,
        names.map((_, i) => slots[i] ?? NIL),
      ),
  );
  for (const [i, name] of names.entries()) {
    define(`SYS:%RESTART-${name.name}`, "restart", (restart: LispValue) => {
      if (!(restart instanceof LStruct) || restart.layout !== layout) throw typeError(restart, "RESTART");
      return restart.slots[i] ?? NIL;
    });
  }
};
