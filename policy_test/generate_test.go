package policy_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// generate draws a valid document for a gate. Half of them start from a
// nominal document, fitted to these thresholds so that it admits where that is
// possible, with up to three fields drawn again; in the other half every field
// is drawn. The same source and thresholds give the same document.
func generate(r *rand.Rand, gate string, t thresholds) document {
	g := &drawing{r: r, gate: gate, t: t, pool: constantsOf(gate, t)}
	redraws := redrawsOf(gate)
	if r.IntN(2) == 0 {
		g.d = oneOf(r, nominal(gate))
		g.fit()
		for range oneOf(r, []int{0, 0, 0, 1, 1, 1, 2, 2, 3}) {
			oneOf(r, redraws)(g)
		}
	} else {
		g.d = document{"gate": gate}
		for _, redraw := range redraws {
			redraw(g)
		}
	}
	if gate == "fence" {
		g.completeFence()
	}
	return g.d
}

// drawing is one document in the making.
type drawing struct {
	r    *rand.Rand
	gate string
	t    thresholds
	d    document
	pool []int64 // every number among the gate's thresholds, in order
}

// redrawsOf are the ways to draw each of a gate's fields again, in an order in
// which every field can be drawn from those before it.
func redrawsOf(gate string) []func(*drawing) {
	switch gate {
	case "fence":
		return fenceRedraws()
	case "fence.retry":
		return retryRedraws()
	case "fence.bind":
		return bindRedraws()
	case "compaction":
		return compactionRedraws()
	case "fanout":
		return fanoutRedraws()
	}
	panic("no such gate: " + gate)
}

// fit changes a nominal document by as little as these thresholds demand, so
// that it admits where they let anything in.
func (g *drawing) fit() {
	switch g.gate {
	case "fence":
		g.fitFence()
	case "compaction":
		g.fitCompaction()
	case "fanout":
		g.fitFanout()
	}
}

// constantsOf are the distinct numbers among the thresholds of a gate, sorted.
func constantsOf(gate string, t thresholds) []int64 {
	var numbers []int64
	switch gate {
	case "compaction":
		numbers = numbersIn(t["compaction"])
	case "fanout":
		numbers = append(numbersIn(t["classes"]), numbersIn(t["fanout"])...)
	default:
		numbers = numbersIn(t["fence"])
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// numbersIn collects the whole numbers of a tree.
func numbersIn(v any) (numbers []int64) {
	switch v := v.(type) {
	case int64:
		return []int64{v}
	case map[string]any:
		for _, below := range v {
			numbers = append(numbers, numbersIn(below)...)
		}
	}
	return numbers
}

// oneOf draws from a list, each with the same chance.
func oneOf[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// oneIn is true once in so many times.
func (g *drawing) oneIn(n int) bool { return g.r.IntN(n) == 0 }

// fieldAt is what the contract says of the field at a path.
func (g *drawing) fieldAt(path string) docField {
	fields := docFields[g.gate]
	return fields[slices.IndexFunc(fields, func(f docField) bool { return f.path == path })]
}

// at is the number that the document has at a path, 0 where it has none.
func (g *drawing) at(path string) int64 {
	v, _, _ := lookUp(g.d, path)
	n, _ := v.(int64)
	return n
}

// threshold is the number at a path of the thresholds, 0 where there is none.
func (g *drawing) threshold(path ...string) int64 {
	n, _ := setting(g.t, path...).(int64)
	return n
}

// whole draws a number, mostly near those that are close to its heart: the
// limits that it is held to and the sums in which its check flips.
func (g *drawing) whole(path string, own ...int64) {
	f := g.fieldAt(path)
	g.draw(f, func() any { return g.number(f.min, f.max, own) })
}

// choose draws one of some values.
func (g *drawing) choose(path string, values ...any) {
	g.draw(g.fieldAt(path), func() any { return oneOf(g.r, values) })
}

// draw sets a field: an optional one is absent now and then, a signal null.
func (g *drawing) draw(f docField, value func() any) {
	switch {
	case !f.required && g.oneIn(3):
		place(g.d, f.path, gone)
	case f.signal && g.oneIn(8):
		place(g.d, f.path, nil)
	default:
		place(g.d, f.path, value())
	}
}

// number draws from a range, again where a candidate falls outside of it.
func (g *drawing) number(least, most int64, own []int64) int64 {
	for range 16 {
		if n := g.candidate(least, most, own); least <= n && n <= most {
			return n
		}
	}
	return g.r.Int64N(3)
}

// candidate is a number at which a decision may flip, or next to it: one of
// the field's own, a threshold of the gate, a product, a half or a quotient of
// two, a small one, an end of the domain, or any of any size.
func (g *drawing) candidate(least, most int64, own []int64) int64 {
	nudge := oneOf(g.r, []int64{-1, 0, 0, 1})
	constant := func() int64 {
		if len(g.pool) == 0 {
			return g.r.Int64N(5)
		}
		return oneOf(g.r, g.pool)
	}
	switch k := g.r.IntN(12); {
	case k < 5 && len(own) > 0:
		return oneOf(g.r, own) + nudge
	case k < 6:
		return constant() + nudge
	case k == 6:
		return productOf(constant(), constant()) + nudge
	case k == 7:
		return constant()/max(1, oneOf(g.r, []int64{2, 3, 4, constant()})) + nudge
	case k == 8:
		return oneOf(g.r, []int64{least, 0, most}) + nudge
	case k == 9:
		size := g.r.Int64N(int64(1) << g.r.IntN(54))
		return oneOf(g.r, []int64{size, size, size, -size})
	}
	return g.r.Int64N(5)
}

// productOf is a product, or the first factor where it would not fit.
func productOf(a, b int64) int64 {
	if a == 0 || b == 0 || max(a, b) > math.MaxInt64/max(1, min(a, b)) {
		return a
	}
	return a * b
}

// lower takes a number of the document down to a limit, where it is above.
func (g *drawing) lower(path string, limit int64) {
	if v, _, _ := lookUp(g.d, path); v != nil && g.at(path) > limit {
		place(g.d, path, limit)
	}
}

// namesIn are the keys of a part of the thresholds, in order.
func namesIn(t thresholds, path ...string) []string {
	m, _ := setting(t, path...).(map[string]any)
	return slices.Sorted(maps.Keys(m))
}
