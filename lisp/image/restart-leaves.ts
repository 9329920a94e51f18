import { typeError } from "../data/error.ts";
import { LStruct, StructLayout } from "../data/instance.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { NIL, setSymbolProperty } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** Restarts as structures: name, function, report function, interactive function, test function. */
export const installRestarts: LeafInstaller = (define, host) => {
  const names = ["NAME", "FUNCTION", "REPORT", "INTERACTIVE", "TEST"].map((name) =>
    host.symbol(`SYS:${name}`),
  );
  const layout = new StructLayout(host.symbol("RESTART"), null, names);
  setSymbolProperty(layout.name, "structure-layout", layout);
  define(
    "SYS:%MAKE-RESTART",
    "name function report interactive test",
    (...slots: LispValue[]) => new LStruct(layout, [...slots]),
  );
  for (const [i, name] of names.entries()) {
    define(`SYS:%RESTART-${name.name}`, "restart", (restart: LispValue) => {
      if (!(restart instanceof LStruct) || restart.layout !== layout) throw typeError(restart, "RESTART");
      return restart.slots[i] ?? NIL;
    });
  }
};
