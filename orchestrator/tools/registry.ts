/** The tool registry: every tool declared once, offered to models by its JSON Schema. */
import { z } from "zod";
import { AutolithError } from "../contract/failure.ts";
import type { ToolSchema } from "../contract/model.ts";
import type { ToolDeclaration } from "../contract/tool.ts";
import { absenceText } from "./absent-operators.ts";

/** `namespace.name`, each part starting with a letter (facts B.1). */
const toolNamePattern = /^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$/;

/** Longest tool name; with the dot as one character it fits the providers' 64. */
export const toolNameLimit = 64;

export class ToolRegistry {
  readonly #tools = new Map<string, ToolDeclaration>();
  #whyAbsent: (name: string) => string | undefined = () => undefined;

  /** Rejects duplicate and malformed names with `tool-registration`. */
  constructor(declarations: Iterable<ToolDeclaration>) {
    for (const declaration of declarations) this.#add(declaration);
  }

  get(name: string): ToolDeclaration | undefined {
    return this.#tools.get(name);
  }

  /** What is said to a caller of a tool that is not here. */
  absence(name: string): string {
    const absent = absenceText(name);
    if (absent !== undefined) return absent;
    const why = this.#whyAbsent(name);
    const said = why === undefined ? `There is no tool ${name}.` : `${name} cannot be used here. ${why}`;
    return `${said} Available: ${this.names().join(", ")}.`;
  }

  /** Names in registration order. */
  names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  /** A registry with only what `accepts` lets through, plus `added`. */
  select(accepts: (tool: ToolDeclaration) => boolean, added: Iterable<ToolDeclaration> = []): ToolRegistry {
    return new ToolRegistry([...[...this.#tools.values()].filter(accepts), ...added]);
  }

  /** A registry with all of these, plus `added`. `whyAbsent` tells why one that is not among them is not. */
  with(
    added: Iterable<ToolDeclaration>,
    whyAbsent: (name: string) => string | undefined = () => undefined,
  ): ToolRegistry {
    const registry = new ToolRegistry([]);
    registry.#whyAbsent = whyAbsent;
    for (const [name, tool] of this.#tools) registry.#tools.set(name, tool);
    for (const declaration of added) registry.#add(declaration);
    return registry;
  }

  /** What is offered to a model, in registration order. */
  schemas(): readonly ToolSchema[] {
    return [...this.#tools.values()].map(toolSchemaOf);
  }

  #add(declaration: ToolDeclaration): void {
    const { name } = declaration;
    if (!toolNamePattern.test(name) || name.length > toolNameLimit)
      throw new AutolithError(
        "tool-registration",
        `Tool name ${JSON.stringify(name)} is not namespace.name in lower case within ${toolNameLimit} characters.`,
      );
    if (this.#tools.has(name))
      throw new AutolithError("tool-registration", `Tool ${name} is registered twice.`);
    this.#tools.set(name, declaration);
  }
}

const parameters = new WeakMap<ToolDeclaration["arguments"], ToolSchema["parameters"]>();

/** The model's view of a declaration. The schema of its arguments is converted once. */
export function toolSchemaOf({ name, description, arguments: schema }: ToolDeclaration): ToolSchema {
  let converted = parameters.get(schema);
  if (converted === undefined) {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
    converted = rest as ToolSchema["parameters"];
    parameters.set(schema, converted);
  }
  return { name, description, parameters: converted };
}
