package policy_test

import "slices"

// fanoutRedraws draw the fields of a piece of fanned-out work, each near the
// limits of its class.
func fanoutRedraws() []func(*drawing) {
	return []func(*drawing){
		func(g *drawing) { g.choose("class", g.classNames()...) },
		func(g *drawing) { g.choose("class_enabled", true, true, true, false) },
		func(g *drawing) { g.whole("max_depth", g.classLimit("max_depth"), g.at("tool_depth")) },
		func(g *drawing) { g.whole("max_siblings", g.classLimit("max_siblings"), g.at("siblings")) },
		func(g *drawing) { g.whole("tool_depth", g.classLimit("max_depth"), g.at("max_depth")) },
		func(g *drawing) { g.whole("siblings", g.classLimit("max_siblings"), g.at("max_siblings")) },
		func(g *drawing) {
			age := g.classLimit("reject_when", "queue_age_ms")
			g.whole("queue_age_ms", age, age/2, 0)
		},
		func(g *drawing) { g.whole("deadline_slack_ms", g.classLimit("reject_when", "slack_ms_below")) },
		func(g *drawing) {
			g.whole("successes_in_window", 0, 1, g.at("tokens_in_window")/max(1, g.classLimit("reject_when", "tokens_per_success_est")))
		},
		func(g *drawing) {
			g.whole("tokens_in_window", g.classLimit("reject_when", "tokens_per_success_est")*g.at("successes_in_window"), 0)
		},
		func(g *drawing) { g.whole("retries_in_window", g.threshold("fanout", "retry_amplification_min"), 0) },
		func(g *drawing) { g.whole("inflight", 0, 1) },
		func(g *drawing) { g.whole("meter_age_ms", g.threshold("fanout", "meter_max_age_ms"), 0) },
		(*drawing).redrawIdleWindow,
	}
}

// redrawIdleWindow lets nothing succeed and, mostly, nothing else happen
// either, now and then: retries amplify and probes go in only there.
func (g *drawing) redrawIdleWindow() {
	if !g.oneIn(4) {
		return
	}
	g.d["successes_in_window"] = int64(0)
	for _, name := range []string{"tokens_in_window", "retries_in_window", "inflight", "meter_age_ms"} {
		if !g.oneIn(4) {
			g.d[name] = int64(0)
		}
	}
}

// classNames are the classes to draw from: mostly those that are open to work,
// now and then any that is declared, or one that is not.
func (g *drawing) classNames() []any {
	names := []any{"nobody", "Tool_Fanout"}
	for _, name := range namesIn(g.t, "classes") {
		names = append(names, name)
	}
	for _, name := range g.openClasses() {
		names = append(names, slices.Repeat([]any{name}, 8)...)
	}
	return names
}

// openClasses are those that are neither reserved nor switched off.
func (g *drawing) openClasses() []string {
	return slices.DeleteFunc(namesIn(g.t, "classes"), func(name string) bool {
		class := setting(g.t, "classes", name).(map[string]any)
		return class["reserved"] == true || class["enabled"] == false
	})
}

// classLimit is a limit of the document's class, 0 where it has none.
func (g *drawing) classLimit(path ...string) int64 {
	class, _ := g.d["class"].(string)
	return g.threshold(append([]string{"classes", class}, path...)...)
}

// fitFanout puts nominal work into a class that is open, within its limits,
// and has it bring what the class requires. What the class does not require is
// null now and then.
func (g *drawing) fitFanout() {
	if open := g.openClasses(); len(open) > 0 {
		g.d["class"] = oneOf(g.r, open)
	}
	g.d["deadline_slack_ms"] = max(g.at("deadline_slack_ms"), g.classLimit("reject_when", "slack_ms_below"))
	g.lower("queue_age_ms", g.classLimit("reject_when", "queue_age_ms"))
	g.lower("tool_depth", g.classLimit("max_depth"))
	g.lower("siblings", g.classLimit("max_siblings"))
	g.lower("meter_age_ms", g.threshold("fanout", "meter_max_age_ms"))
	g.lower("tokens_in_window", g.classLimit("reject_when", "tokens_per_success_est")*g.at("successes_in_window"))

	required, set := setting(g.t, "classes", g.d["class"].(string), "requires").([]any)
	for _, name := range required {
		if g.d[name.(string)] == nil {
			g.d[name.(string)] = int64(0)
		}
	}
	for _, name := range fanoutSignals {
		if set && !slices.Contains(required, any(name)) && g.oneIn(3) {
			g.d[name] = nil
		}
	}
}
