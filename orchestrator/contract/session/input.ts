/** What clients put into a session: prompts, steering, queued follow-ups; and where accepted input waits. */
import { z } from "zod";
import { columnsSchema } from "./forms.ts";
import { imageSchema } from "./updates.ts";

/** Most characters of one input, all of its parts together (manual). */
export const inputCharacterLimit = 262_144;
/** Most images of one input, and their bytes together when decoded. */
export const inputImageLimit = 16;
export const inputImageByteLimit = 8_388_608;
/** Most inputs waiting in one session, and their characters together, images counted in base64. */
export const pendingInputLimit = 256;
export const pendingCharacterLimit = 33_554_432;
/** Most entries of the vault; their characters together are bounded as those of waiting input. */
export const vaultEntryLimit = 256;

/** One part of a prompt, as in ACP. */
export const promptPartSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  /** A reference that the model may read by its tools. */
  z.strictObject({
    type: z.literal("resource-link"),
    uri: z.string().min(1).max(8_192),
    name: z.string().max(1_024).optional(),
  }),
  /** Text that the client embeds. */
  z.strictObject({
    type: z.literal("resource"),
    uri: z.string().min(1).max(8_192),
    mimeType: z.string().max(256).optional(),
    text: z.string(),
  }),
  z.strictObject({ type: z.literal("image"), image: imageSchema }),
]);
export type PromptPart = z.infer<typeof promptPartSchema>;

/** A prompt: at least one part with content. Text that begins with `(` is a Lisp form, with `/name` a slash command, with `//` a literal slash. */
export const promptInputSchema = z.strictObject({
  parts: z.array(promptPartSchema).min(1).max(256),
  /** Columns to print the values of a form for; 80 when absent. */
  columns: columnsSchema.optional(),
  /** Makes a repeated submission harmless: the same id is admitted once per conversation. Made by the host when absent. */
  inputId: z.string().min(1).max(128).optional(),
});
export type PromptInput = z.infer<typeof promptInputSchema>;

/** `steering`: goes in at the next safe boundary. `queued`: starts a turn of its own. `scheduled`: a command applied at the next boundary. */
export const deliverySchema = z.enum(["steering", "queued", "scheduled"]);
export type Delivery = z.infer<typeof deliverySchema>;

/** Input is durable when this is answered. */
export const admissionSchema = z.strictObject({
  accepted: z.literal(true),
  delivery: deliverySchema,
  inputId: z.string(),
});
export type Admission = z.infer<typeof admissionSchema>;

/** Input that was accepted and is not in the conversation yet. */
export const pendingInputSchema = z.strictObject({
  inputId: z.string(),
  delivery: z.enum(["steering", "queued"]),
  text: z.string(),
  images: z.int().nonnegative(),
  /** Epoch milliseconds. */
  acceptedAt: z.number(),
});
export type PendingInput = z.infer<typeof pendingInputSchema>;

/** An entry of the recovery input vault (manual): work set aside, in the order in which it would be restored. */
export const vaultEntrySchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("message"), input: z.string().min(1).max(inputCharacterLimit) }),
  z.strictObject({ type: z.literal("command"), text: z.string().min(1).max(inputCharacterLimit) }),
  z.strictObject({ type: z.literal("lisp"), source: z.string().min(1).max(inputCharacterLimit) }),
  /** Work of a scheduled wakeup: a form that nobody is asked about. */
  z.strictObject({ type: z.literal("native-lisp"), source: z.string().min(1).max(inputCharacterLimit) }),
]);
export type VaultEntry = z.infer<typeof vaultEntrySchema>;

/** What a front end left in its composer for the next one. */
export const draftSchema = z.strictObject({
  text: z.string().max(inputCharacterLimit),
  /** UTF-16 units. */
  cursor: z.int().nonnegative(),
});
export type Draft = z.infer<typeof draftSchema>;

/** Something a person put into the conversation, in the order of its acceptance. */
export const recalledInputSchema = z.strictObject({
  /** Grows; from 1. */
  seq: z.int().positive(),
  kind: z.enum(["message", "command", "lisp"]),
  /** A message's text, slash text, or Lisp source. */
  text: z.string(),
  /** Epoch milliseconds. */
  at: z.number(),
});
export type RecalledInput = z.infer<typeof recalledInputSchema>;

/** The newest inputs, oldest first. */
export const inputHistoryPageSchema = z.strictObject({
  inputs: z.array(recalledInputSchema),
  /** Ask with `before` the first one's `seq` for older ones. */
  hasOlder: z.boolean(),
});
export type InputHistoryPage = z.infer<typeof inputHistoryPageSchema>;
