/**
 * Imported before every module that makes schemas. zod would compile a function for each schema at its first use, which pays
 * after thousands of checks and costs a short run more than all its checks together.
 */
import { config } from "zod";

config({ jitless: true });
