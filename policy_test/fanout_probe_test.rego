# The one probe that a class gets whose window has run empty.
package admission.fanout_test

test_idle_class_is_probed if {
	decide(idle) == probed
	decide(object.union(idle, {"meter_age_ms": 5000})) == probed
	decide(object.union(idle, {"queue_age_ms": 15000})) == probed
}

test_probe_needs_each_of_its_conditions[note] if {
	some note, tc in {
		"tokens": {"patch": {"tokens_in_window": 1}, "burn": {"observed": 1, "limit": 0}, "unknown": []},
		"tokens unknown": {
			"patch": {"tokens_in_window": null},
			"burn": {"observed": null, "limit": 0},
			"unknown": ["tokens_in_window"],
		},
		"successes unknown": {
			"patch": {"successes_in_window": null},
			"burn": {"observed": 0, "limit": null},
			"unknown": ["successes_in_window"],
		},
		"retries": {"patch": {"retries_in_window": 1}, "burn": {"observed": 0, "limit": 0}, "unknown": []},
		"inflight": {"patch": {"inflight": 1}, "burn": {"observed": 0, "limit": 0}, "unknown": []},
		"inflight unknown": {"patch": {"inflight": null}, "burn": {"observed": 0, "limit": 0}, "unknown": ["inflight"]},
		"meter stale": {"patch": {"meter_age_ms": 5001}, "burn": {"observed": null, "limit": null}, "unknown": []},
		"meter unknown": {
			"patch": {"meter_age_ms": null},
			"burn": {"observed": null, "limit": null},
			"unknown": ["meter_age_ms"],
		},
	}
	decision := decide(object.union(idle, tc.patch))
	decision.admit == false
	decision.violations == [object.union(tc.burn, {"reason": "token_burn_vs_success"})]
	decision.unknown == tc.unknown
}

test_probe_needs_its_optional_signals[name] if {
	some name in ["inflight", "meter_age_ms"]
	decision := decide(object.remove(idle, [name]))
	decision.violations == [{"reason": "token_burn_vs_success", "observed": 0, "limit": 0}]
	decision.unknown == []
}

test_probe_needs_every_other_check_to_hold[reason] if {
	some reason, patch in {
		"class_disabled": {"class_enabled": false},
		"slack_below_floor": {"deadline_slack_ms": 59999},
		"tool_depth_over_limit": {"tool_depth": 2},
		"siblings_over_limit": {"siblings": 3},
		"queue_age_over_limit": {"queue_age_ms": 15001},
	}
	reasons(decide(object.union(idle, patch))) == [reason, "token_burn_vs_success"]
}

test_probe_needs_the_document_to_be_whole if {
	reasons(decide(object.union(idle, {"gate": "fence"}))) == ["invalid_input", "token_burn_vs_success"]
}

test_unknown_retries_are_not_probed if {
	reasons(decide(object.union(idle, {"retries_in_window": null}))) == ["retry_amplification", "token_burn_vs_success"]
	spared := decide(object.union(idle, {"class": "undemanding", "retries_in_window": null}))
	reasons(spared) == ["token_burn_vs_success"]
}

test_class_with_a_success_is_admitted_and_not_probed if {
	decide(object.union(idle, {"successes_in_window": 1})) == admitted("keep_worker_cap_depth")
}

test_probing_can_be_switched_off if {
	decide_with(idle, {"probe_when_idle": false}) == rejected(
		"reject_class_and_drain",
		[{"reason": "token_burn_vs_success", "observed": 0, "limit": 0}],
		[],
	)
}
