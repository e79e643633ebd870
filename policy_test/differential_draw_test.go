package policy_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
)

// randomThresholds are the defaults under an overlay of random numbers, planes and classes; now and then it turns
// switches, cuts a list or changes an order.
func randomThresholds(r *rand.Rand) namedThresholds {
	own := &randomOverlay{r}
	overlay := map[string]any{"fence": own.fence(), "compaction": own.compaction(), "classes": own.classes(), "fanout": own.fanout()}
	text, err := json.Marshal(overlay)
	if err != nil {
		panic(err)
	}
	return namedThresholds{Name: "random", Overlay: string(text), Tree: overlaid(treeNamed("defaults"), parseTree(string(text)))}
}

type randomOverlay struct{ r *rand.Rand }

// number is from 0 to most, small numbers and large ones alike.
func (o *randomOverlay) number(most int64) int64 {
	if o.r.IntN(12) == 0 {
		return most
	}
	return o.r.Int64N(min(most, int64(1)<<o.r.IntN(42)) + 1)
}

func (o *randomOverlay) often() bool { return o.r.IntN(4) > 0 }

// order shuffles the precedence of a gate, and now and then cuts it.
func (o *randomOverlay) order(into map[string]any, path ...string) map[string]any {
	if o.r.IntN(3) == 0 {
		names := listOf(treeNamed("defaults"), append(path, "precedence")...)
		o.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		into["precedence"] = names[:len(names)-o.r.IntN(2)*o.r.IntN(len(names)+1)]
	}
	return into
}

func (o *randomOverlay) fence() map[string]any {
	planes := map[string]any{}
	for _, name := range []string{"gpu-a", "free-eval", "a plane", "a.b"} {
		if !o.often() {
			continue
		}
		plane := map[string]any{}
		if o.often() {
			plane["depth_limit"] = o.number(maxCount)
		}
		if o.often() {
			plane["health_max_age_ms"] = o.number(maxAmount)
		}
		planes[name] = plane
	}
	return o.order(map[string]any{
		"default": map[string]any{"depth_limit": o.number(maxCount), "health_max_age_ms": o.number(maxAmount)},
		"planes":  planes,
		"retry":   o.order(map[string]any{}, "fence", "retry"),
		"bind":    o.order(map[string]any{}, "fence", "bind"),
	}, "fence")
}

func (o *randomOverlay) compaction() map[string]any {
	requires := slices.DeleteFunc([]string{"jobs_this_turn", "last_compacted_version"}, func(string) bool { return o.often() })
	return o.order(map[string]any{
		"enabled": o.often(), "free_path": oneOf(o.r, []string{"enabled", "enabled", "disabled"}), "token_ceiling": o.number(maxAmount),
		"max_retries": o.number(maxCount), "console_max_age_ms": o.number(maxAmount), "requires": requires,
	}, "compaction")
}

func (o *randomOverlay) classes() map[string]any {
	classes := map[string]any{}
	for _, name := range []string{"tool_fanout", "nightly", "batch", "a class"} {
		if name != "tool_fanout" && !o.often() {
			continue
		}
		class := map[string]any{"max_depth": o.number(maxCount), "max_siblings": o.number(maxCount), "reject_when": map[string]any{
			"queue_age_ms": o.number(maxAmount), "slack_ms_below": o.number(maxAmount) * oneOf(o.r, []int64{-1, 1, 1}), "tokens_per_success_est": o.number(maxAmount)}}
		if !o.often() {
			class["reserved"] = !o.often()
		}
		if !o.often() {
			class["enabled"] = o.often()
		}
		if !o.often() {
			class["requires"] = slices.DeleteFunc(append(slices.Clone(fanoutSignals), "siblings", "meter_age_ms"), func(string) bool { return o.often() })
		}
		classes[name] = class
	}
	return classes
}

func (o *randomOverlay) fanout() map[string]any {
	return o.order(map[string]any{"retry_amplification_min": o.number(maxCount), "probe_when_idle": o.often(), "meter_max_age_ms": o.number(maxAmount)}, "fanout")
}

// anyDocument draws every field over the whole of its range.
func anyDocument(r *rand.Rand, gate string, t thresholds) document {
	names := append([]string{"a", "b", "nobody"}, append(namesIn(t, "fence", "planes"), namesIn(t, "classes")...)...)
	d := document{"gate": gate}
	for _, f := range docFields[gate] {
		_, _, possible := lookUp(d, f.path)
		switch {
		case !possible, !f.required && r.IntN(3) == 0:
		case f.signal && r.IntN(10) == 0:
			place(d, f.path, nil)
		case f.kind == "name":
			place(d, f.path, oneOf(r, names))
		case f.kind == "word":
			place(d, f.path, oneOf(r, f.words))
		case f.kind == "switch":
			place(d, f.path, r.IntN(2) == 0)
		case f.kind == "object":
			place(d, f.path, document{})
		default:
			place(d, f.path, f.min+r.Int64N(f.max-f.min+1)>>(r.IntN(2)*r.IntN(50)))
		}
	}
	completed(r, gate, d)
	return d
}

// completed makes a document valid where its fields contradict.
func completed(r *rand.Rand, gate string, d document) {
	switch gate {
	case "fence":
		borrowed, given := d["borrowed"].(document)
		if d["borrow"] == true && (!given || d["revision"] == nil) {
			d["borrow"] = false
		}
		if given && borrowed["name"] == d["primary"].(document)["name"] {
			borrowed["name"] = "another plane"
		}
	case "compaction":
		if (d["est_tokens"] == nil) == (d["transcript_chars"] == nil) {
			delete(d, oneOf(r, []string{"est_tokens", "transcript_chars"}))
		}
		if d["est_tokens"] == nil && d["transcript_chars"] == nil {
			d["est_tokens"] = r.Int64N(maxAmount + 1)
		}
	}
}
