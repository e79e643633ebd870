package policy_test

// modelFence: may this intent start on its primary plane, and borrow another
// one? Each plane answers for its own health sample, depth and retry budget;
// the borrowed one is looked at only when borrowing.
func modelFence(d document, t thresholds) decision {
	borrow := d["borrow"] == true
	primary := planeOf(d, "primary", t)
	admitted := decision{
		Gate: "fence", Reason: "admit", Action: "proceed",
		Effects: []effect{{primary.name, "depth", 1}},
		Unknown: sorted(primary.unknown),
	}
	rows := []row{
		{"reject_stale_primary_health", "shed_intent", !primary.age.atMost(primary.maxAge), primary.age.seen(), primary.maxAge},
		{"reject_primary_depth", "shed_intent", !primary.depth.below(primary.depthLimit), primary.depth.seen(), primary.depthLimit},
		{"reject_primary_retry_exhausted", "shed_intent", !primary.budget.atLeast(1), primary.budget.seen(), int64(0)},
	}
	if borrow {
		borrowed := planeOf(d, "borrowed", t)
		admitted.Action = "admit_score_only"
		admitted.Effects = append(admitted.Effects, effect{borrowed.name, "depth", 1})
		admitted.Unknown = sorted(primary.unknown, borrowed.unknown)
		rows = append(rows,
			row{"reject_stale_borrowed_health", "score_locally_or_skip", !borrowed.age.atMost(borrowed.maxAge), borrowed.age.seen(), borrowed.maxAge},
			row{"shed_borrowed_depth", "score_locally_or_skip", !borrowed.depth.below(borrowed.depthLimit), borrowed.depth.seen(), borrowed.depthLimit},
			row{"shed_borrowed_retry", "score_locally_or_skip", !borrowed.budget.atLeast(1), borrowed.budget.seen(), int64(0)},
		)
	}
	return settle(rows, listOf(t, "fence", "precedence"), admitted)
}

// fencePlane is a plane of the document with the limits that count for it.
type fencePlane struct {
	name               string
	age, depth, budget reading
	maxAge, depthLimit int64
	unknown            []string
}

// planeOf reads a plane and its limits: the operator's row for that plane's
// name, else the default, limit by limit; the document may only tighten them.
func planeOf(d document, role string, t thresholds) fencePlane {
	p := d[role].(map[string]any)
	name := p["name"].(string)
	return fencePlane{
		name:       name,
		age:        read(p, "health_age_ms"),
		depth:      read(p, "depth"),
		budget:     read(p, "retry_budget"),
		maxAge:     stricter(planeThreshold(t, name, "health_max_age_ms"), read(p, "health_max_age_ms")),
		depthLimit: stricter(planeThreshold(t, name, "depth_limit"), read(p, "depth_limit")),
		unknown:    missing(p, role+".", "health_age_ms", "depth", "retry_budget"),
	}
}

// planeThreshold is one limit of one plane, by name: its own row over the
// default.
func planeThreshold(t thresholds, plane, limit string) int64 {
	if own, set := setting(t, "fence", "planes", plane, limit).(int64); set {
		return own
	}
	return limitOf(t, "fence", "default", limit)
}

// modelRetry: a retry is paid by the plane that created the attempt, and by no
// other; that plane's budget must have something left.
func modelRetry(d document, t thresholds) decision {
	charge := d["charge"].(map[string]any)
	budget := read(charge, "retry_budget")
	creator, payer := d["created_on"].(string), charge["name"].(string)
	return settle([]row{
		{"reject_cross_plane_retry", "compensate_on_creator", creator != payer, payer, creator},
		{"compensate_or_shed", "compensate_or_shed", !budget.atLeast(1), budget.seen(), int64(0)},
	}, listOf(t, "fence", "retry", "precedence"), decision{
		Gate: "fence.retry", Reason: "retry_same_plane", Action: "retry_same_plane",
		Effects: []effect{{payer, "retry_budget", -1}},
		Unknown: missing(charge, "charge.", "retry_budget"),
	})
}

// modelBind: a score attaches only to an attempt that still stands and to the
// revision that it was made for. An unknown state cannot be accepted, and is
// not known to be bound.
func modelBind(d document, t thresholds) decision {
	state, score, current := d["attempt_state"], d["score_revision"], d["current_revision"]
	return settle([]row{
		{"reject_late_score", "drop_score", state != "accepted" && state != "bound", state, "accepted"},
		{"reject_already_bound", "drop_score", state == "bound", state, "accepted"},
		{"reject_revision_moved", "compensate_borrowed", current == nil || score != current, score, current},
	}, listOf(t, "fence", "bind", "precedence"), decision{
		Gate: "fence.bind", Reason: "bind", Action: "bind",
		Unknown: missing(d, "", "attempt_state", "current_revision"),
	})
}

// fenceDoc is a document of the sources' fixture, with its two planes.
func fenceDoc(borrow bool, primary, borrowed document) document {
	return document{"gate": "fence", "intent_id": "I1", "revision": "R3", "borrow": borrow,
		"primary": primary, "borrowed": borrowed}
}

// planeDoc is a plane of a document without limits of its own.
func planeDoc(name string, depth, budget, age any) document {
	return document{"name": name, "depth": depth, "retry_budget": budget, "health_age_ms": age}
}

// retryDoc asks for a retry that the creator itself pays.
func retryDoc(plane string, budget int64) document {
	return document{"gate": "fence.retry", "attempt_id": "A1", "created_on": plane,
		"charge": document{"name": plane, "retry_budget": budget}}
}

// bindDoc is a score for a revision, the watermark and the attempt's state.
func bindDoc(score string, current, state any) document {
	return document{"gate": "fence.bind", "attempt_id": "A1", "score_revision": score,
		"current_revision": current, "attempt_state": state}
}

// rejected is the decision of a reject whose signals are all known.
func rejected(gate, action string, violations ...violation) decision {
	return decision{Gate: gate, Reason: violations[0].Reason, Action: action,
		Violations: violations, Effects: []effect{}, Unknown: []string{}}
}

// admittedAs is the decision of an admit whose signals are all known.
func admittedAs(gate, reason, action string, effects ...effect) decision {
	return decision{Gate: gate, Admit: true, Reason: reason, Action: action, Violations: []violation{},
		Effects: append([]effect{}, effects...), Unknown: []string{}}
}

// fenceCases are the fixture's cases, limits 4 and 2000 ms.
func fenceCases() []documentedCase {
	n := func(n int64) any { return n }
	idle := func(name string) document { return planeDoc(name, n(0), n(3), n(0)) }
	return []documentedCase{
		{"borrowed plane full and spent", "", fenceDoc(true, idle("primary"), planeDoc("borrowed", n(4), n(0), n(0))),
			rejected("fence", "score_locally_or_skip",
				violation{"shed_borrowed_depth", n(4), n(4)}, violation{"shed_borrowed_retry", n(0), n(0)})},
		{"a retry on that borrowed plane", "", retryDoc("borrowed", 0),
			rejected("fence.retry", "compensate_or_shed", violation{"compensate_or_shed", n(0), n(0)})},
		{"stale borrowed health is not capacity", "", fenceDoc(true, idle("primary"), planeDoc("borrowed", n(0), n(3), n(9000))),
			rejected("fence", "score_locally_or_skip", violation{"reject_stale_borrowed_health", n(9000), n(2000)})},
		{"an idle borrower cannot hide a full primary", "", fenceDoc(true, planeDoc("primary", n(4), n(3), n(0)), idle("borrowed")),
			rejected("fence", "shed_intent", violation{"reject_primary_depth", n(4), n(4)})},
		{"a fresh borrow", "", fenceDoc(true, planeDoc("primary", n(0), n(2), n(0)), planeDoc("borrowed", n(0), n(1), n(0))),
			admittedAs("fence", "admit", "admit_score_only", effect{"primary", "depth", 1}, effect{"borrowed", "depth", 1})},
		{"a retry inside the borrowed budget", "", retryDoc("borrowed", 1),
			admittedAs("fence.retry", "retry_same_plane", "retry_same_plane", effect{"borrowed", "retry_budget", -1})},
		{"without borrowing the full borrowed plane counts for nothing", "",
			fenceDoc(false, idle("primary"), planeDoc("borrowed", nil, n(0), n(9000))),
			admittedAs("fence", "admit", "proceed", effect{"primary", "depth", 1})},
		{"the sample bind of the contract", "", bindDoc("R3", "R4", "accepted"),
			rejected("fence.bind", "compensate_borrowed", violation{"reject_revision_moved", "R3", "R4"})},
		{"a late score whose watermark is unknown", "", bindDoc("R3", nil, nil),
			decision{Gate: "fence.bind", Reason: "reject_late_score", Action: "drop_score",
				Violations: []violation{{"reject_late_score", nil, "accepted"}, {"reject_revision_moved", "R3", nil}},
				Effects:    []effect{}, Unknown: []string{"attempt_state", "current_revision"}}},
	}
}

// fenceBoundaries are both sides of every comparison of the fence's gates.
func fenceBoundaries() []boundary {
	borrow := func() document { return nominal("fence")[1] }
	tight := func() document {
		d := borrow()
		place(d, "primary.depth_limit", int64(2))
		place(d, "primary.health_max_age_ms", int64(100))
		return d
	}
	loose := func() document {
		d := borrow()
		place(d, "primary.depth_limit", int64(9))
		place(d, "primary.health_max_age_ms", int64(9000))
		return d
	}
	retry := func() document { return retryDoc("free-eval", 1) }
	bind := func() document { return bindDoc("R3", "R3", "accepted") }
	return []boundary{
		{"primary.health_age_ms", int64(2000), int64(2001), "reject_stale_primary_health", borrow},
		{"primary.health_age_ms", int64(0), nil, "reject_stale_primary_health", borrow},
		{"primary.health_age_ms", int64(100), int64(101), "reject_stale_primary_health", tight},
		{"primary.health_age_ms", int64(2000), int64(2001), "reject_stale_primary_health", loose},
		{"primary.depth", int64(3), int64(4), "reject_primary_depth", borrow},
		{"primary.depth", int64(0), nil, "reject_primary_depth", borrow},
		{"primary.depth", int64(1), int64(2), "reject_primary_depth", tight},
		{"primary.depth", int64(3), int64(4), "reject_primary_depth", loose},
		{"primary.retry_budget", int64(1), int64(0), "reject_primary_retry_exhausted", borrow},
		{"primary.retry_budget", int64(1), nil, "reject_primary_retry_exhausted", borrow},
		{"borrowed.health_age_ms", int64(2000), int64(2001), "reject_stale_borrowed_health", borrow},
		{"borrowed.health_age_ms", int64(0), nil, "reject_stale_borrowed_health", borrow},
		{"borrowed.depth", int64(3), int64(4), "shed_borrowed_depth", borrow},
		{"borrowed.depth", int64(0), nil, "shed_borrowed_depth", borrow},
		{"borrowed.retry_budget", int64(1), int64(0), "shed_borrowed_retry", borrow},
		{"borrowed.retry_budget", int64(1), nil, "shed_borrowed_retry", borrow},
		{"charge.retry_budget", int64(1), int64(0), "compensate_or_shed", retry},
		{"charge.retry_budget", int64(1), nil, "compensate_or_shed", retry},
		{"created_on", "free-eval", "gpu-a", "reject_cross_plane_retry", retry},
		{"attempt_state", "bound", "shed", "reject_late_score", bind},
		{"attempt_state", "accepted", "expired", "reject_late_score", bind},
		{"attempt_state", "accepted", nil, "reject_late_score", bind},
		{"attempt_state", nil, "bound", "reject_already_bound", bind},
		{"current_revision", "R3", "R4", "reject_revision_moved", bind},
		{"current_revision", "R3", nil, "reject_revision_moved", bind},
	}
}
