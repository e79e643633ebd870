# The fence as the drill has it: checks alone, the first that fails gives the reason.
package bare.fence

decision := "reject_stale_primary_health" if input.primary.health_age_ms > input.primary.health_max_age_ms

else := "reject_primary_depth" if input.primary.depth >= input.primary.depth_limit

else := "reject_primary_retry_exhausted" if input.primary.retry_budget <= 0

else := "admit" if not input.borrow

else := "reject_stale_borrowed_health" if input.borrowed.health_age_ms > input.borrowed.health_max_age_ms

else := "shed_borrowed_depth" if input.borrowed.depth >= input.borrowed.depth_limit

else := "shed_borrowed_retry" if input.borrowed.retry_budget <= 0

else := "admit"
