package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/admitctl/admitctl/engine/tabulate"
	"github.com/admitctl/admitctl/table"
)

// classNeeds are the signals that a class may require.
func classNeeds() []string {
	return []string{"queue_age_ms", "deadline_slack_ms", "tokens_in_window", "successes_in_window", "tool_depth", "retries_in_window", "siblings", "meter_age_ms"}
}

// anyThresholds are the shipped thresholds with other numbers, planes and classes, and now and then another switch, list
// or order.
func anyThresholds(t *rapid.T, shipped map[string]any) map[string]any {
	data := copied(shipped).(map[string]any)
	number := rapid.OneOf(rapid.Int64Range(0, 5), rapid.Int64Range(0, 1<<20), rapid.SampledFrom([]int64{0, 1 << 20}))
	fence, compaction, fanout := data["fence"].(map[string]any), data["compaction"].(map[string]any), data["fanout"].(map[string]any)
	planes := map[string]any{}
	for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"gpu-a", "free-eval", "a", "b c", "a.b"}), rapid.ID).Draw(t, "planes") {
		planes[name] = some(t, map[string]any{"depth_limit": number.Draw(t, "depth_limit"), "health_max_age_ms": number.Draw(t, "age")})
	}
	fence["planes"] = planes
	fence["default"].(map[string]any)["depth_limit"] = number.Draw(t, "default depth_limit")
	compaction["token_ceiling"], compaction["max_retries"] = number.Draw(t, "token_ceiling"), number.Draw(t, "max_retries")
	fanout["meter_max_age_ms"], fanout["retry_amplification_min"] = number.Draw(t, "meter age"), number.Draw(t, "amplification")
	classes := map[string]any{}
	plain := rapid.Bool().Draw(t, "classes without flags")
	for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"tool_fanout", "interactive", "x", "y"}), rapid.ID).Draw(t, "classes") {
		class := some(t, map[string]any{
			"reserved": rapid.Bool().Draw(t, "reserved"), "enabled": rapid.Bool().Draw(t, "enabled"),
			"requires": anyList(classNeeds()[rapid.SampledFrom([]int{0, 6, 8}).Draw(t, "requires"):]),
		})
		if plain {
			class = map[string]any{}
		}
		class["max_depth"], class["max_siblings"] = number.Draw(t, "max_depth"), number.Draw(t, "max_siblings")
		class["reject_when"] = map[string]any{"queue_age_ms": number.Draw(t, "queue age"), "slack_ms_below": number.Draw(t, "slack"), "tokens_per_success_est": number.Draw(t, "burn")}
		classes[name] = class
	}
	data["classes"] = classes
	if rapid.IntRange(0, 3).Draw(t, "turn a switch") == 0 {
		compaction["enabled"] = rapid.Bool().Draw(t, "enabled")
		compaction["free_path"] = rapid.SampledFrom([]string{"enabled", "disabled"}).Draw(t, "free_path")
		fanout["probe_when_idle"] = rapid.Bool().Draw(t, "probe")
		compaction["requires"] = anyList(rapid.SliceOfDistinct(rapid.SampledFrom([]string{"jobs_this_turn", "last_compacted_version", "cancelable"}), rapid.ID).Draw(t, "compaction requires"))
		for _, gate := range []map[string]any{fence, compaction, fanout} {
			order := rapid.Permutation(gate["precedence"].([]any)).Draw(t, "precedence")
			gate["precedence"] = order[:rapid.IntRange(0, len(order)).Draw(t, "kept")]
		}
	}
	return data
}

// some leaves fields out.
func some(t *rapid.T, fields map[string]any) map[string]any {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if rapid.IntRange(0, 3).Draw(t, "leave "+name+" out") == 0 {
			delete(fields, name)
		}
	}
	return fields
}

func anyList(words []string) []any {
	list := []any{}
	for _, word := range words {
		list = append(list, word)
	}
	return list
}

// Thresholds for which a program says that it holds are decided, once bound to it, as by a program of their own.
func TestProgramsHoldForOtherThresholds(t *testing.T) {
	program, err := Compile(t.Context(), shipped(t))
	require.NoError(t, err)
	data, _ := program.tree.Value().(map[string]any)
	held := map[string]int{}
	draws := rapid.Custom(func(r *rapid.T) map[string]any { return anyThresholds(r, data) })
	results := map[string][]*tabulate.Result{}
	for draw := range 16 {
		after := draws.Example(draw)
		for _, gate := range program.Gates() {
			fresh, err := tabulate.Gate(t.Context(), gate, program.rules.plans[gate], program.described[gate].Properties, after)
			require.NoError(t, err, "draw %d", draw)
			require.True(t, fresh.Holds(after))
			if at := slices.IndexFunc(results[gate], func(old *tabulate.Result) bool { return old.Holds(after) }); at >= 0 {
				held[gate]++
				bound, err := results[gate][at].Program.Bind(after, nil, "")
				require.NoError(t, err)
				own, err := fresh.Program.Bind(after, nil, "")
				require.NoError(t, err)
				requireSameTables(t, gate, bound, own)
			}
			results[gate] = append(results[gate], fresh)
		}
	}
	for _, gate := range program.Gates() {
		require.NotZero(t, held[gate], gate)
	}
}

// A class may require every signal that classes can, and the gate keeps its table.
func TestClassesMayRequireEverySignal(t *testing.T) {
	program, err := Compile(t.Context(), shipped(t), Overlay("o.yaml", fmt.Appendf(nil, "classes: {x: {max_depth: 1, max_siblings: 2, requires: [%s], reject_when: {queue_age_ms: 1, slack_ms_below: 1, tokens_per_success_est: 1}}}", strings.Join(classNeeds(), ", "))))
	require.NoError(t, err)
	require.NoError(t, program.gates["fanout"].why)
	require.Less(t, len(program.Table("fanout").Program().Nodes), 1500)
}

// requireSameTables holds two tables against each other, on the documents that either thinks telling.
func requireSameTables(t require.TestingT, gate string, one, other *table.Gate) {
	effort := table.Effort{Draws: 400, Most: 120, Every: true}
	for _, flat := range append(one.Directed(effort), other.Directed(effort)...) {
		document, err := flat.Document(gate)
		require.NoError(t, err)
		var a, b table.Decision
		require.Equal(t, one.Answer(document, &a), other.Answer(document, &b))
		require.Equal(t, a, b, "%s", printed(document))
	}
}

// What is not a number or a row is a reason to tabulate anew, and numbers and rows are none.
func TestProgramsHoldUntilMoreThanNumbersChange(t *testing.T) {
	program, err := Compile(t.Context(), shipped(t), Overlay("o.yaml", []byte("fence: {planes: {a: {depth_limit: 2, health_max_age_ms: 9}}}\nclasses: {spare: {max_depth: 1, max_siblings: 1, enabled: true, requires: [siblings], reject_when: {queue_age_ms: 1, slack_ms_below: 1, tokens_per_success_est: 1}}}")))
	require.NoError(t, err)
	burning := map[string]any{"queue_age_ms": int64(5), "slack_ms_below": int64(6), "tokens_per_success_est": int64(7)}
	for _, c := range []struct {
		name  string
		gate  string
		path  []string
		to    any // nil takes it away
		holds bool
	}{
		{"a number", "fence", []string{"fence", "default", "depth_limit"}, int64(9), true},
		{"a number that is gone", "fence", []string{"fence", "default", "depth_limit"}, nil, false},
		{"a number that is a word", "fence", []string{"fence", "default", "depth_limit"}, "9", false},
		{"a number beyond 2^53", "fence", []string{"fence", "default", "depth_limit"}, int64(1 << 60), false},
		{"a new plane", "fence", []string{"fence", "planes", "b"}, map[string]any{"depth_limit": int64(7), "health_max_age_ms": int64(3)}, true},
		{"a plane of another shape", "fence", []string{"fence", "planes", "b"}, map[string]any{"depth_limit": int64(7)}, false},
		{"a plane without limits", "fence", []string{"fence", "planes", "b"}, map[string]any{}, false},
		{"a plane's other limit", "fence", []string{"fence", "planes", "a", "depth_limit"}, int64(7), true},
		{"a plane's limit beyond 2^53", "fence", []string{"fence", "planes", "a", "depth_limit"}, int64(1 << 60), false},
		{"a plane's limit that is a word", "fence", []string{"fence", "planes", "b"}, map[string]any{"depth_limit": "7"}, false},
		{"no planes", "fence", []string{"fence", "planes"}, map[string]any{}, false},
		{"another order", "fence", []string{"fence", "precedence"}, []any{"shed_borrowed_depth"}, false},
		{"another gate's order", "fence", []string{"fanout", "precedence"}, []any{"class_unknown"}, true},
		{"another gate's number", "compaction", []string{"fence", "default", "depth_limit"}, int64(1), true},
		{"a switch", "compaction", []string{"compaction", "enabled"}, false, false},
		{"the same switch", "compaction", []string{"compaction", "enabled"}, true, true},
		{"a word", "compaction", []string{"compaction", "free_path"}, "disabled", false},
		{"a list", "compaction", []string{"compaction", "requires"}, []any{"jobs_this_turn"}, false},
		{"the probe", "fanout", []string{"fanout", "probe_when_idle"}, false, false},
		{"a new class", "fanout", []string{"classes", "new"}, map[string]any{"max_depth": int64(3), "max_siblings": int64(1), "reject_when": burning}, true},
		{"a class of another shape", "fanout", []string{"classes", "new"}, map[string]any{"max_depth": int64(3), "reserved": true, "enabled": false}, false},
		{"a class that requires what others do", "fanout", []string{"classes", "new"}, map[string]any{"max_depth": int64(3), "max_siblings": int64(1), "enabled": true, "requires": []any{"siblings"}, "reject_when": burning}, true},
		{"a class that requires nothing", "fanout", []string{"classes", "spare", "requires"}, []any{}, false},
		{"a class that requires what none does", "fanout", []string{"classes", "new"}, map[string]any{"requires": []any{"tool_depth"}}, false},
		{"a class that is one word", "fanout", []string{"classes", "new"}, "word", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, _ := program.tree.Value().(map[string]any)
			result := program.rules.tables[c.gate]
			require.True(t, result.Holds(data))
			put(data, c.path, c.to)
			require.Equal(t, c.holds, result.Holds(data))
		})
	}
}

func put(tree map[string]any, path []string, to any) {
	for _, key := range path[:len(path)-1] {
		tree = tree[key].(map[string]any)
	}
	if to == nil {
		delete(tree, path[len(path)-1])
		return
	}
	tree[path[len(path)-1]] = to
}

// Words are told from words with spaces, and keys from paths with dots.
func TestProgramsTellWordsFromOthers(t *testing.T) {
	for _, c := range []struct {
		rules         string
		path          []string
		before, after any
	}{
		{`fits if "a" in data.trial.rows[input.name].needs`, []string{"trial", "rows"},
			map[string]any{"a": map[string]any{"needs": []any{"a b"}}}, map[string]any{"a": map[string]any{"needs": []any{"a", "b"}}}},
		{`fits if data.trial.rows[input.name].tier == "gold"`, []string{"trial", "rows"},
			map[string]any{"a": map[string]any{"tier": "gold tin"}}, map[string]any{"a": map[string]any{"tier": "gold"}, "b": map[string]any{"tier": "tin"}}},
		{`fits if "a" in data.trial.words`, []string{"trial", "words"}, []any{"a b"}, []any{"a", "b"}},
		{`fits if data.trial.mode == "1"`, []string{"trial", "mode"}, int64(1), "1"},
		{`fits if data.trial.mode == "true"`, []string{"trial", "mode"}, true, "true"},
		{`fits if data.trial.mode == "absent"`, []string{"trial", "mode"}, nil, "absent"},
		{`fits if data.trial.mode == "number"`, []string{"trial", "mode"}, int64(1), "number"},
		{`fits if "1" in data.trial.numbers`, []string{"trial", "numbers"}, []any{int64(1)}, []any{"1"}},
	} {
		data := trialData()
		put(data, c.path, c.before)
		_, _, result := trial{rules: c.rules}.try(t, data)
		require.NotNil(t, result, c.rules)
		require.True(t, result.Holds(data))
		put(data, c.path, c.after)
		require.False(t, result.Holds(data), c.rules)
	}
}

// A program bound to thresholds that are not of the kind that its rules want is refused.
func TestBindingRefusesOtherKinds(t *testing.T) {
	_, _, result := trial{rules: "fits if input.count <= data.trial.rows[input.name].limit + data.trial.low"}.try(t, trialData())
	require.NotNil(t, result)
	for i, c := range []struct {
		path []string
		to   any
		want string
	}{
		{[]string{"trial", "low"}, nil, "no table: threshold trial.low is no whole number"},
		{[]string{"trial", "low"}, "3", "no table: threshold trial.low is no whole number"},
		{[]string{"trial", "low"}, map[string]any{}, "no table: threshold trial.low is no whole number"},
		{[]string{"trial"}, nil, "no table: threshold trial.low is no whole number"},
		{[]string{"trial", "rows", "a", "limit"}, "5", "no table: trial.rows.a.limit is no whole number"},
		{[]string{"trial", "rows", "a", "limit"}, true, "no table: trial.rows.a.limit is no whole number"},
	} {
		data := trialData()
		put(data, c.path, c.to)
		_, err := result.Program.Bind(data, nil, "")
		require.ErrorIs(t, err, table.ErrTable, fmt.Sprint(i))
		require.EqualError(t, err, c.want)
	}
}
