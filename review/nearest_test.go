package review

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/table"
)

func sideOf(t *testing.T, files fs.FS, options ...engine.Option) Side {
	t.Helper()
	program, err := engine.Compile(t.Context(), files, options...)
	require.NoError(t, err)
	return Side{Name: "policies", Program: program}
}

func nearest(t *testing.T, side Side, text string, o Options) Counterfactual {
	t.Helper()
	document, err := side.Program.Decode([]byte(text), inputs.Source{})
	require.NoError(t, err)
	got, err := Nearest(t.Context(), side, document, o)
	require.NoError(t, err)
	return got
}

// said is a change in words.
func said(to *Turned) string {
	if to == nil {
		return "none"
	}
	of := func(value *inputs.Value) string {
		if value == nil {
			return "absent"
		}
		return value.String()
	}
	all := make([]string, len(to.Changes))
	for i, change := range to.Changes {
		all[i] = change.Field + " " + of(change.From) + "→" + of(change.To)
	}
	return strings.Join(all, ", ") + ": " + to.Decision.Reason
}

const (
	storm = `{"gate":"fanout","class":"tool_fanout","queue_age_ms":47012,"deadline_slack_ms":90000,"tokens_in_window":24110,
 "successes_in_window":1,"tool_depth":2,"retries_in_window":14}`
	calm = `{"gate":"fanout","class":"tool_fanout","queue_age_ms":3000,"deadline_slack_ms":90000,"tokens_in_window":800,
 "successes_in_window":2,"tool_depth":0,"retries_in_window":0}`
	job = `{"gate":"compaction","slack_ms":4000,"queue_age_ms":2000,"est_gen_ms":1500,"est_tokens":800,"retry_count":0,"token_ceiling":5000,"transcript_version":7,"latest_version":7}`
)

// The smallest change is told, and that it is: for each document by the cells alone.
func TestTheSmallestChangeOfSignals(t *testing.T) {
	side := sideOf(t, policies.Files)
	with := func(text string, changes ...string) string { return strings.NewReplacer(changes...).Replace(text) }
	for _, test := range []struct{ name, document, signals, fields string }{
		{"every signal that is beyond, and no other", with(storm, `"tokens_in_window":24110`, `"tokens_in_window":8000`), "queue_age_ms 47012→15000, tool_depth 2→1: admit", "none"},
		{"an admit to its nearest limit", with(calm, `"tool_depth":0`, `"tool_depth":1`), "tool_depth 1→2: tool_depth_over_limit", "none"},
		{"an unknown signal becomes known", with(job, `"slack_ms":4000`, `"slack_ms":null`), "slack_ms null→3501: admit", "none"},
		{"an unknown signal becomes as bad as it may be", with(calm, `"queue_age_ms":3000`, `"queue_age_ms":null`), "queue_age_ms null→15000: admit", "none"},
		{"a known signal is not lost, though unknown is near", job, "latest_version 7→6: reject_stale", "none"},
		{"a flag", with(job, `"est_gen_ms"`, `"path":"free","cancelable":false,"same_turn":false,"console_age_ms":0,"est_gen_ms"`), "cancelable false→true: admit", "none"},
		{"a word", `{"gate":"fence.bind","attempt_id":"A","score_revision":"R","current_revision":"R","attempt_state":"bound"}`, `attempt_state "bound"→"accepted": bind`, "none"},
		{"a name that must be the same", `{"gate":"fence.bind","attempt_id":"A","score_revision":"R","current_revision":"S","attempt_state":"accepted"}`, `current_revision "S"→"R": bind`, "none"},
		{"a class that nobody knows", with(calm, "tool_fanout", "Tool_Fanout"), "none", `class "Tool_Fanout"→"tool_fanout": admit`},
		{"a switch of the document's own", with(calm, `"queue_age_ms"`, `"class_enabled":false,"queue_age_ms"`), "none", "class_enabled false→true: admit"},
		{"a number that is no signal", with(job, `"retry_count":0`, `"retry_count":3`), "none", "retry_count 3→2: admit"},
		{"the document's own limit stays", with(calm, `"tool_depth":0`, `"max_depth":0,"tool_depth":1`), "tool_depth 1→0: admit", "none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := nearest(t, side, test.document, Options{})
			require.Equal(t, test.signals, said(got.Signals))
			require.Equal(t, test.fields, said(got.Fields))
			require.True(t, got.Proof.Complete, got.Proof.Why)
			require.Equal(t, ByCells, got.Proof.By)
		})
	}
}

// What no change of signals can mend is named, and a switch that is off lets nothing in, which is proved.
func TestWhatNoSignalMendsIsNamed(t *testing.T) {
	side := sideOf(t, policies.Files, engine.Overlay("off.yaml", []byte("compaction: {enabled: false}\n")))
	got := nearest(t, side, job, Options{})
	require.Nil(t, got.Signals)
	require.Nil(t, got.Fields)
	require.True(t, got.Proof.Complete && got.Beyond.Complete)
	require.Equal(t, []string{"reject_disabled"}, got.Fixed)
}

// Where two signals are compared with each other, cells prove less than a solver, and say so.
func TestWithoutASolverTheNearestThatWasFoundIsToldAsThat(t *testing.T) {
	side := sideOf(t, policies.Files)
	got := nearest(t, side, storm, Options{})
	require.Equal(t, "queue_age_ms 47012→15000, successes_in_window 1→4, tool_depth 2→1: admit", said(got.Signals))
	require.Equal(t, Proof{By: ByCells, Cells: got.Proof.Cells, Why: "its rules compare signals with each other, which a solver can settle"}, got.Proof)
	if path, err := exec.LookPath("z3"); err == nil {
		proved := nearest(t, side, storm, Options{Solver: path})
		require.Equal(t, got.Signals, proved.Signals)
		require.Equal(t, Proof{Complete: true, By: BySolver, Cells: proved.Proof.Cells}, proved.Proof)
	} else {
		t.Log("no z3: what it would prove was not compared")
	}
}

func TestGatesThatOPADecidesAreSearched(t *testing.T) {
	files := fstest.MapFS{"compaction/own.rego": {Mode: 0o600, Data: []byte(`package admission.compaction

# METADATA
# title: Own
# description: Does not come to a table.
# custom:
#   reason: own
#   action: drop_and_ack
violated contains rego.metadata.rule().custom if not own

own if startswith(input.path, "p")
`)}}
	copyInto(t, files, policies.Files, ".")
	side := sideOf(t, files)
	require.Nil(t, side.Program.Table("compaction"))
	late := strings.NewReplacer(`"queue_age_ms":2000`, `"path":"paid","queue_age_ms":9000`, `"latest_version":7`, `"latest_version":8`).Replace(job)
	got := nearest(t, side, late, Options{})
	require.Equal(t, "queue_age_ms 9000→2499, latest_version 8→7: admit", said(got.Signals))
	require.Equal(t, BySearch, got.Proof.By)
	require.False(t, got.Proof.Complete)
}

func TestAddedGatesHaveCounterfactuals(t *testing.T) {
	files := fstest.MapFS{}
	copyInto(t, files, policies.Files, ".")
	copyInto(t, files, os.DirFS("../examples/subagent/policies"), ".")
	side := sideOf(t, files)
	text, err := os.ReadFile("../examples/subagent/fixtures/depth_over_limit_one_over.json")
	require.NoError(t, err)
	got := nearest(t, side, string(text), Options{})
	require.Equal(t, "depth 2→1: admit", said(got.Signals))
	require.True(t, got.Proof.Complete, got.Proof.Why)
}

func copyInto(t *testing.T, files fstest.MapFS, from fs.FS, root string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(from, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(from, name)
		files[name] = &fstest.MapFile{Data: text, Mode: 0o600}
		return err
	}))
}

func TestADocumentThatCannotBeDecidedHasNoCounterfactual(t *testing.T) {
	_, err := Nearest(t.Context(), sideOf(t, policies.Files), &inputs.Bind{}, Options{})
	require.ErrorIs(t, err, inputs.ErrInvalid)
}

// Of the fixtures, what is found changes nothing but signals and loses none; what cells prove, a solver proves too, and
// whatever a solver finds nearer, cells did not claim to have proved.
func TestCounterfactualsOfTheFixtures(t *testing.T) {
	side := sideOf(t, policies.Files)
	path, err := exec.LookPath("z3")
	if err != nil {
		t.Log("no z3: what cells prove was not held against it")
	}
	seen, proved := 0, 0
	require.NoError(t, filepath.WalkDir("../fixtures", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == "overlays" {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".want.json") {
			return nil
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		document, err := side.Program.Decode(text, inputs.Source{})
		require.NoError(t, err)
		own, err := newTurning(t.Context(), side, document, Options{}.filled())
		require.NoError(t, err)
		flat, found := own.find()
		if seen++; own.proof.Complete {
			proved++
		}
		if found {
			turned, err := own.turned(&flat)
			require.NoError(t, err, name)
			require.NotEqual(t, own.was.Admit, turned.Decision.Admit, name)
			for i, place := range own.space.places {
				require.True(t, place.Signal || !own.space.off(&flat, &own.nominal, i), "%s: %s", name, place.Name)
				require.True(t, own.nominal.Known>>i&1 == 0 || flat.Known>>i&1 == 1, "%s: %s", name, place.Name)
			}
		}
		if path != "" && own.proof.Complete && seen%8 == 0 {
			held := &nearestOf{turning: own, flat: flat, found: found, distance: own.space.from(&flat, &own.nominal)}
			own.options.Solver = path
			own.bySolver(held)
			require.True(t, own.proof.Complete, "%s: %s", name, own.proof.Why)
			require.Equal(t, found, held.found, name)
			require.Equal(t, flat, held.flat, "%s: a solver finds nothing nearer", name)
		}
		return nil
	}))
	require.Greater(t, seen, 150)
	require.Greater(t, proved*10, seen*9, "cells prove nearly all")
}

// What cells prove of documents on every side of every limit, a solver proves too: of signals alone, and of all fields.
func TestWhatCellsProveASolverProves(t *testing.T) {
	path, err := exec.LookPath("z3")
	if err != nil {
		t.Log("no z3: what cells prove was not held against it")
	}
	side := sideOf(t, policies.Files)
	proved := 0
	for _, gate := range side.Program.Gates() {
		flats := side.Program.Table(gate).Directed(table.Effort{Draws: 2000, Most: 400})
		for i := 0; i < len(flats); i += max(1, len(flats)/5) {
			document, err := flats[i].Document(gate)
			require.NoError(t, err)
			own, err := newTurning(t.Context(), side, document, Options{}.filled())
			require.NoError(t, err)
			for _, widen := range []func(){func() {}, own.any} {
				widen()
				flat, found := own.find()
				if found {
					require.True(t, own.turns(&flat), "%s %v", gate, document)
				}
				if !own.proof.Complete {
					continue
				}
				if proved++; path == "" {
					continue
				}
				held := &nearestOf{turning: own, flat: flat, found: found, distance: own.space.from(&flat, &own.nominal)}
				was := held.distance
				own.options.Solver = path
				own.bySolver(held)
				own.options.Solver = ""
				require.Equal(t, found, held.found, "%s %v", gate, document)
				require.Equal(t, was, held.distance, "%s %v", gate, document)
			}
		}
	}
	require.Greater(t, proved, 30)
}
