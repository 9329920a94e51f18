;; One job: a child of the role "engineering" repairs this little project.
;; Run it with   autolith run-job --input job.sexp --output result.sexp --events sexp
(:autolith-job
 :version 1
 :id "fix-test"
 :role "engineering"
 :prompt "A test of this project fails. Find the cause, repair the source with the smallest change that is right, and show by the project's own tests that it holds. Do not change the tests."
 :input (:test-command "node --test" :failing-test "hours keep their minutes apart")
 :output-contract :engineering
 :timeout-seconds 600)
