import { expect, it } from "vitest";
import { managementValues } from "../../../cli/management/management-values.ts";

const roots = { state: "/state", config: "/config" };

it("lists what is in force, and where it is off what it would begin with", () => {
  expect(managementValues({}, roots)).toMatchObject({
    "management-repl-enabled-p": { value: false, source: "default" },
    "management-repl-unix-socket-path": { value: "/state/management/repl.sock", source: "default" },
    "management-repl-token-file-path": { value: "/config/management-repl.token" },
    "management-repl-queue-capacity": { value: 8 },
  });
  const on = { AUTOLITH_MANAGEMENT_REPL: "on", AUTOLITH_MANAGEMENT_REPL_TRANSPORT: "tcp" };
  expect(managementValues({ ...on, AUTOLITH_MANAGEMENT_REPL_TCP_PORT: "4200" }, roots)).toMatchObject({
    "management-repl-enabled-p": { value: true, source: "environment" },
    "management-repl-transport": { value: "tcp", source: "environment" },
    "management-repl-tcp-port": { value: 4_200, source: "environment" },
    "management-repl-tcp-address": { value: "127.0.0.1", source: "default" },
  });
  expect(() => managementValues({ ...on, AUTOLITH_MANAGEMENT_REPL_TCP_PORT: "0" }, roots)).toThrow(
    expect.objectContaining({ code: "configuration-error" }),
  );
});
