package policy_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
)

// boundaryRow is a document and its whole decision: what the fixtures leave open and a mutant of the policies showed.
type boundaryRow struct {
	name    string
	overlay string // thresholds over the shipped ones
	stock   bool   // only stock OPA decides it: our doors refuse such a document, or such thresholds
	doc     document
	want    decision
}

func boundaryRows() []boundaryRow {
	return slices.Concat(misreadRows(), nameRows(), fenceRows(), compactionRows(), classRows())
}

// Each row gets its decision from OPA's own evaluator and, where it is a document and thresholds are thresholds, from
// the library and the model.
func TestBoundaryRows(t *testing.T) {
	s := newSuite(t)
	healthy := s.admit(mutant{file: guardFile, text: s.texts[guardFile]})
	require.Empty(t, healthy.compile())
	opened := map[string]*doors{}
	for i, row := range boundaryRows() {
		t.Run(row.name, func(t *testing.T) {
			require.Empty(t, healthy.decide(s.rows[i:i+1]))
			if row.stock {
				if checkDocument(row.want.Gate, row.doc) == nil {
					_, err := openFiles(s.files(), row.overlay)
					require.ErrorIs(t, err, engine.ErrLoad, "our doors decide it too")
				}
				return
			}
			if opened[row.overlay] == nil {
				opened[row.overlay] = open(t, row.overlay)
			}
			require.Equal(t, row.want, opened[row.overlay].decide(t, row.want.Gate, textOf(t, row.doc)))
			tree := overlaid(treeNamed("defaults"), parseTree(row.overlay))
			require.Equal(t, row.want, model(row.want.Gate, row.doc, tree), "the model")
		})
	}
}

// misread is a field of the wrong type, and what is violated beside the document itself: its check takes the value for
// unknown, and never shows it.
type misread struct {
	field   string
	value   any
	unknown []string
	also    []violation
}

// misreadRows: stock OPA sees documents that our doors refuse, and compares nothing that is not of its type.
func misreadRows() (rows []boundaryRow) {
	n := func(n int64) any { return n }
	for _, of := range []struct {
		gate string
		doc  document // admitted as it is
		all  []misread
	}{
		{"compaction", compactionDoc(9000, 1200, 1500, 800, 0, 5000, 9, 9), []misread{
			{"slack_ms", "9000", []string{"slack_ms"}, []violation{{"reject_slack", n(2700), nil}}},
			{"queue_age_ms", "1200", []string{"queue_age_ms"}, []violation{{"reject_slack", nil, n(9000)}}},
			{"est_gen_ms", "1500", nil, []violation{{"reject_slack", nil, n(9000)}}},
			{"latest_version", "9", []string{"latest_version"}, []violation{{"reject_stale", n(9), nil}}},
			{"transcript_version", "9", nil, []violation{{"reject_stale", nil, n(9)}}},
			{"retry_count", "0", nil, []violation{{"reject_retries", nil, n(2)}, {"reject_tokens", nil, n(5000)}}},
			{"est_tokens", "800", nil, []violation{{"reject_tokens", nil, n(5000)}}},
			{"token_ceiling", "5000", nil, []violation{{"reject_tokens", n(800), nil}}},
			{"transcript_chars", n(4), nil, nil},
			{"jobs_this_turn", "0", nil, []violation{{"reject_turn_has_job", nil, n(1)}}},
			{"last_compacted_version", "8", nil, []violation{{"reject_already_compacted", nil, n(9)}}},
		}},
		{"compaction", nominal("compaction")[1], []misread{
			{"cancelable", "true", []string{"cancelable"}, []violation{{"reject_uncancelable", nil, true}}},
			{"same_turn", "false", []string{"same_turn"}, []violation{{"reject_same_turn", nil, false}}},
			{"console_age_ms", "0", []string{"console_age_ms"}, []violation{{"reject_free_path_dark", nil, n(300000)}}},
			{"console_age_ms", n(-1), nil, nil},
		}},
		{"fanout", nominal("fanout")[2], []misread{
			{"deadline_slack_ms", "90000", []string{"deadline_slack_ms"}, []violation{{"slack_below_floor", nil, n(60000)}}},
			{"tool_depth", "1", []string{"tool_depth"}, []violation{{"tool_depth_over_limit", nil, n(1)}}},
			{"siblings", "2", []string{"siblings"}, []violation{{"siblings_over_limit", nil, n(2)}}},
			{"queue_age_ms", "1000", []string{"queue_age_ms"}, []violation{{"queue_age_over_limit", nil, n(15000)}}},
			{"retries_in_window", "3", []string{"retries_in_window"}, nil},
			{"tokens_in_window", "4000", []string{"tokens_in_window"}, []violation{{"token_burn_vs_success", nil, n(16000)}}},
			{"successes_in_window", "2", []string{"successes_in_window"}, []violation{{"token_burn_vs_success", n(4000), nil}}},
			{"inflight", "1", []string{"inflight"}, nil},
			{"meter_age_ms", "0", []string{"meter_age_ms"}, []violation{{"token_burn_vs_success", nil, nil}}},
		}},
		{"fence", nominal("fence")[1], []misread{
			{"primary.depth", "0", []string{"primary.depth"}, []violation{{"reject_primary_depth", nil, n(4)}}},
			{"primary.retry_budget", "3", []string{"primary.retry_budget"}, []violation{{"reject_primary_retry_exhausted", nil, n(0)}}},
			{"primary.health_age_ms", "0", []string{"primary.health_age_ms"}, []violation{{"reject_stale_primary_health", nil, n(2000)}}},
			{"borrowed.depth", "0", []string{"borrowed.depth"}, []violation{{"shed_borrowed_depth", nil, n(4)}}},
			{"borrowed.retry_budget", "1", []string{"borrowed.retry_budget"}, []violation{{"shed_borrowed_retry", nil, n(0)}}},
			{"borrowed.health_age_ms", "0", []string{"borrowed.health_age_ms"}, []violation{{"reject_stale_borrowed_health", nil, n(2000)}}},
		}},
		{"fence.retry", retryDoc("free-eval", 1), []misread{
			{"charge.retry_budget", "1", []string{"charge.retry_budget"}, []violation{{"compensate_or_shed", nil, n(0)}}},
		}},
		{"fence.bind", bindDoc("R3", "R3", "accepted"), []misread{
			{"score_revision", n(3), nil, []violation{{"reject_revision_moved", nil, "R3"}}},
			{"current_revision", n(3), []string{"current_revision"}, []violation{{"reject_revision_moved", "R3", nil}}},
			{"attempt_state", n(1), []string{"attempt_state"}, []violation{{"reject_late_score", nil, "accepted"}}},
		}},
	} {
		for _, m := range of.all {
			row := boundaryRow{name: fmt.Sprintf("%s/%s is %v", of.gate, m.field, m.value), stock: true, doc: clone(of.doc)}
			place(row.doc, m.field, m.value)
			row.want = malformed(of.gate, m.unknown, m.also...)
			rows = append(rows, row)
		}
	}
	return rows
}

// malformed is the decision of a malformed document, with what is violated besides.
func malformed(gate string, unknown []string, also ...violation) decision {
	d := rejected(gate, "reject", append([]violation{{"invalid_input", nil, nil}}, also...)...)
	d.Unknown = append(d.Unknown, unknown...)
	return d
}

// nameRows: a name has no control or format character at its ends either.
func nameRows() (rows []boundaryRow) {
	for _, name := range []string{"\nA1", "A1\n", "\u202eA1", "A1\u202e", "\u2028A1", "A1\u2028", "\n", "\u202e", "A"} {
		d := bindDoc("R3", "R3", "accepted")
		d["attempt_id"] = name
		row := boundaryRow{name: fmt.Sprintf("fence.bind/attempt_id is %q", name), stock: true, doc: d, want: malformed("fence.bind", nil)}
		if name == "A" {
			row.stock, row.want = false, admittedAs("fence.bind", "bind", "bind")
		}
		rows = append(rows, row)
	}
	return rows
}

// fenceRows: each plane is held to its own row and to its own limits.
func fenceRows() []boundaryRow {
	n := func(n int64) any { return n }
	loose := func(d document) document {
		d["depth_limit"], d["health_max_age_ms"] = n(64), n(9000)
		return d
	}
	noPlane := document{"gate": "fence", "intent_id": "I1", "borrow": false}
	patient := fenceDoc(false, planeDoc("gpu-a", n(0), n(3), n(2000)), nil)
	delete(patient, "borrowed")
	place(patient, "primary.health_max_age_ms", maxAmount)
	return []boundaryRow{
		{name: "fence/looser limits than the rows of both planes", overlay: `
fence:
  planes:
    gpu-a: {depth_limit: 8, health_max_age_ms: 500}
    free-eval: {depth_limit: 2, health_max_age_ms: 100}
`, doc: fenceDoc(true, loose(planeDoc("gpu-a", n(8), n(1), n(501))), loose(planeDoc("free-eval", n(2), n(1), n(101)))),
			want: rejected("fence", "shed_intent", violation{"reject_stale_primary_health", n(501), n(500)}, violation{"reject_primary_depth", n(8), n(8)},
				violation{"reject_stale_borrowed_health", n(101), n(100)}, violation{"shed_borrowed_depth", n(2), n(2)})},
		{name: "fence/a maximum age that no count reaches", doc: patient,
			want: admittedAs("fence", "admit", "proceed", effect{"gpu-a", "depth", 1})},
		{name: "fence/no primary plane", stock: true, doc: noPlane,
			want: malformed("fence", []string{"primary.depth", "primary.health_age_ms", "primary.retry_budget"},
				violation{"reject_stale_primary_health", nil, nil}, violation{"reject_primary_depth", nil, nil}, violation{"reject_primary_retry_exhausted", nil, n(0)})},
	}
}

// compactionRows: what one signal lacks is not said of another.
func compactionRows() []boundaryRow {
	free := nominal("compaction")[1]
	free["slack_ms"] = nil
	hasty := rejected("compaction", "keep_last_summary", violation{"reject_slack", int64(2700), nil})
	hasty.Unknown = []string{"slack_ms"}
	bothUnread := compactionDoc(9000, 1200, 1500, 800, 0, 5000, 9, 9)
	bothUnread["transcript_version"], bothUnread["latest_version"] = "9", "9"
	return []boundaryRow{
		{name: "compaction/switched off before it is stale", overlay: "compaction: {enabled: false}",
			doc:  compactionDoc(9000, 1200, 1500, 800, 0, 5000, 8, 9),
			want: rejected("compaction", "serve_uncompacted", violation{"reject_disabled", false, true}, violation{"reject_stale", int64(8), int64(9)})},
		{name: "compaction/the console is read and the slack is not", doc: free, want: hasty},
		{name: "compaction/two versions that are none are not the same", stock: true, doc: bothUnread,
			want: malformed("compaction", []string{"latest_version"}, violation{"reject_stale", nil, nil})},
	}
}

// classRows: of a class that is not there, or that must not be here, nothing else is read.
func classRows() []boundaryRow {
	n := func(n int64) any { return n }
	crowded := fanoutDoc(nil, nil, nil, nil, nil, nil)
	place(crowded, "class", "nobody")
	place(crowded, "siblings", n(9))
	large := fanoutDoc(1000, 90000, 1<<21, 1<<20, 1, 0)
	return []boundaryRow{
		{name: "fanout/the siblings of no class", doc: crowded,
			want: rejected("fanout", "reject_class", violation{"class_unknown", "nobody", nil})},
		{name: "fanout/more tokens than a count can be", doc: large, want: admittedAs("fanout", "admit", "keep_worker_cap_depth")},
	}
}
