;;;; Limits of calls which the standard lets an implementation choose.

(in-package "AUTOLITH-SYSTEM")

(defconstant call-arguments-limit 4096 "More arguments than a call may have.")
(defconstant lambda-parameters-limit 4096 "More required and optional parameters than a lambda list may have.")
(defconstant multiple-values-limit 4096 "More values than a form may return.")
