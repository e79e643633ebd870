package policy_test

import "strings"

// planeNames are the planes that have a row of their own, some that have none,
// and a name as long as a name may be.
func (g *drawing) planeNames() []any {
	names := []any{"gpu-a", "free-eval", "Gpu-A", "GPU.v1", strings.Repeat("ü", 128)}
	for _, name := range namesIn(g.t, "fence", "planes") {
		names = append(names, name)
	}
	return names
}

// revisions are few, so that they are often the same.
var revisions = []any{"R3", "R4", "sha256:9f"}

// fenceRedraws draw the fields of an intent.
func fenceRedraws() []func(*drawing) {
	redraws := []func(*drawing){
		func(g *drawing) { g.choose("intent_id", "I1", "I-2", "I 3") },
		func(g *drawing) { g.choose("revision", revisions...) },
		func(g *drawing) { g.choose("borrow", true, true, false) },
	}
	for _, role := range []string{"primary", "borrowed"} {
		for _, redraw := range planeRedraws(role) {
			redraws = append(redraws, func(g *drawing) {
				g.needPlane(role)
				redraw(g)
			})
		}
	}
	return redraws
}

// planeRedraws draw the fields of one plane, each near the limits that the
// plane's name and the document give it.
func planeRedraws(role string) []func(*drawing) {
	at := func(field string) string { return role + "." + field }
	limit := func(g *drawing, name string) int64 {
		plane, _, _ := lookUp(g.d, at("name"))
		return planeThreshold(g.t, plane.(string), name)
	}
	return []func(*drawing){
		func(g *drawing) { g.choose(at("name"), g.planeNames()...) },
		func(g *drawing) { g.whole(at("depth_limit"), limit(g, "depth_limit"), g.at(at("depth"))) },
		func(g *drawing) {
			g.whole(at("health_max_age_ms"), limit(g, "health_max_age_ms"), g.at(at("health_age_ms")))
		},
		func(g *drawing) { g.whole(at("depth"), limit(g, "depth_limit"), g.at(at("depth_limit"))) },
		func(g *drawing) { g.whole(at("retry_budget"), 0, 1) },
		func(g *drawing) {
			g.whole(at("health_age_ms"), limit(g, "health_max_age_ms"), g.at(at("health_max_age_ms")))
		},
	}
}

// needPlane sees to it that the document has that plane, whole.
func (g *drawing) needPlane(role string) {
	if _, present := g.d[role]; present {
		return
	}
	g.d[role] = document{}
	for _, redraw := range planeRedraws(role) {
		redraw(g)
	}
}

// completeFence gives a borrow what it needs, keeps the two planes apart, and
// lets the borrowed plane go now and then where it is ignored.
func (g *drawing) completeFence() {
	if g.d["borrow"] == true {
		g.needPlane("borrowed")
		if g.d["revision"] == nil {
			g.d["revision"] = oneOf(g.r, revisions)
		}
	} else if g.oneIn(2) {
		delete(g.d, "borrowed")
	}
	borrowed, given := g.d["borrowed"].(map[string]any)
	primary := g.d["primary"].(map[string]any)
	for given && borrowed["name"] == primary["name"] {
		borrowed["name"] = oneOf(g.r, g.planeNames())
	}
}

// fitFence puts a nominal document on planes of these thresholds, within their
// limits where a limit lets anything in.
func (g *drawing) fitFence() {
	for _, role := range []string{"primary", "borrowed"} {
		plane, given := g.d[role].(map[string]any)
		if !given {
			continue
		}
		name := plane["name"].(string)
		if g.oneIn(2) {
			name = oneOf(g.r, g.planeNames()).(string)
		}
		if planeThreshold(g.t, name, "depth_limit") == 0 {
			name = plane["name"].(string)
		}
		plane["name"] = name
		g.lower(role+".depth", max(0, planeThreshold(g.t, name, "depth_limit")-1))
		g.lower(role+".health_age_ms", planeThreshold(g.t, name, "health_max_age_ms"))
	}
	if g.d["borrow"] == true && g.d["primary"].(map[string]any)["name"] == g.d["borrowed"].(map[string]any)["name"] {
		place(g.d, "primary.name", "gpu-a")
		place(g.d, "borrowed.name", "free-eval")
		g.lower("primary.health_age_ms", planeThreshold(g.t, "gpu-a", "health_max_age_ms"))
		g.lower("borrowed.health_age_ms", planeThreshold(g.t, "free-eval", "health_max_age_ms"))
	}
}

// retryRedraws draw the fields of a retry: often it is charged to its creator.
func retryRedraws() []func(*drawing) {
	return []func(*drawing){
		func(g *drawing) { g.choose("attempt_id", "A1", "A-2") },
		func(g *drawing) { g.choose("created_on", g.planeNames()...) },
		func(g *drawing) {
			if g.d["charge"] == nil {
				g.d["charge"] = document{"retry_budget": nil}
			}
			g.choose("charge.name", append(g.planeNames(), g.d["created_on"], g.d["created_on"], g.d["created_on"])...)
		},
		func(g *drawing) { g.whole("charge.retry_budget", 0, 1) },
	}
}

// bindRedraws draw the fields of a bind.
func bindRedraws() []func(*drawing) {
	return []func(*drawing){
		func(g *drawing) { g.choose("attempt_id", "A1", "A-2") },
		func(g *drawing) { g.choose("score_revision", revisions...) },
		func(g *drawing) {
			g.choose("current_revision", append(revisions[:len(revisions):len(revisions)], g.d["score_revision"])...)
		},
		func(g *drawing) { g.choose("attempt_state", "accepted", "accepted", "bound", "shed", "expired") },
	}
}
