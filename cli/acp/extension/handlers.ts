/** The shape of what carries out extension methods. */
import type {
  ExtensionMethod,
  ParsedParamsOf,
  ValueOf,
} from "../../../orchestrator/contract/acp/method-table.ts";
import type { ClientContext } from "../client-context.ts";

/** Carries out one method. */
type Handler<Method extends ExtensionMethod> = (
  params: ParsedParamsOf<Method>,
  context: ClientContext,
) => Promise<ValueOf<Method>>;

/** Handlers of some of the methods. */
export type Handlers<Methods extends ExtensionMethod> = { readonly [Method in Methods]: Handler<Method> };

/** The methods that are served once a client is authenticated. */
export type ServedMethod = Exclude<ExtensionMethod, "authenticate">;
