# The free path is being moved: one try a version until that is done.
package admission.compaction

# METADATA
# title: The first try only
# description: While the free path is being moved, nothing is retried on it.
# custom:
#   reason: reject_retry_during_move
#   action: keep_last_summary
violated contains rego.metadata.rule().custom if not first_try

# METADATA
# title: Nothing was tried before
first_try if retry_count == 0

observed["reject_retry_during_move"] := retry_count
limit["reject_retry_during_move"] := 0
