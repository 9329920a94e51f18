/** The process of one assignment. */
import { serveAssignment } from "./case-runner.ts";
import { subjectNamed } from "./subjects.ts";

serveAssignment(subjectNamed);
