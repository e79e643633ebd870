package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

// suite is a set of policies under test, and under every overlay that fixtures bring.
type suite struct {
	from     string
	tester   *engine.Tester
	overlaid map[string]*engine.Tester
	quick    bool // decides as a service does, without OPA beside a table and without coverage
}

func openSuite(ctx context.Context, c *common, policy string) (*suite, error) {
	source, err := openPolicies(ctx, c, policy, engine.DefaultTimeout)
	if err != nil {
		return nil, err
	}
	tester, err := engine.NewTester(ctx, source.files, source.options...)
	if err != nil {
		return nil, source.refused(err)
	}
	return &suite{from: source.from, tester: tester, overlaid: map[string]*engine.Tester{}}, nil
}

// under is the policies under the overlays of a fixture.
func (s *suite) under(ctx context.Context, overlays []string) (*engine.Tester, error) {
	if len(overlays) == 0 {
		return s.tester, nil
	}
	key := strings.Join(overlays, "\x00")
	if tester, ok := s.overlaid[key]; ok {
		return tester, nil
	}
	options := make([]engine.Option, len(overlays))
	for i, name := range overlays {
		text, err := readRegular(name, maxTestFile)
		if err != nil {
			return nil, err
		}
		options[i] = engine.Overlay(name, text)
	}
	tester, err := s.tester.Overlaid(ctx, options...)
	if err != nil {
		return nil, err
	}
	s.overlaid[key] = tester
	return tester, nil
}

// decide is the decision of a document, which is a reject where it cannot be decided; an error is of its overlays, or
// that a table and OPA decide differently.
func (s *suite) decide(ctx context.Context, f fixture) (engine.Decision, error) {
	tester, err := s.under(ctx, f.overlays)
	if err != nil {
		return engine.Decision{}, err
	}
	document, err := tester.Program.Decode(f.text, inputs.Source{File: f.file})
	if err != nil {
		return tester.Program.Invalid(gateOf(err), err), nil
	}
	decide := tester.Decide
	if s.quick {
		decide = tester.Program.Decide
	}
	decision, err := decide(ctx, document)
	if err != nil && (ctx.Err() != nil || errors.Is(err, engine.ErrDisagreement)) {
		return engine.Decision{}, err
	}
	return decision, nil
}

// wanted is the decision that a fixture must get; what it leaves out is not compared.
type wanted struct {
	Gate       *string             `json:"gate"`
	Admit      *bool               `json:"admit"`
	Reason     *string             `json:"reason"`
	Action     *string             `json:"action"`
	Violations *[]engine.Violation `json:"violations"`
	Effects    *[]engine.Effect    `json:"effects"`
	Unknown    *[]string           `json:"unknown"`
}

// differences tells, field by field, where a decision is not as wanted.
func (w wanted) differences(got engine.Decision) []string {
	var all []string
	differ := func(name, want, had string) {
		if want != had {
			all = append(all, fmt.Sprintf("%s: wanted %s, got %s", name, want, had))
		}
	}
	text := func(name string, want *string, had string) {
		if want != nil {
			differ(name, *want, had)
		}
	}
	text("gate", w.Gate, got.Gate)
	if w.Admit != nil {
		differ("admit", strconv.FormatBool(*w.Admit), strconv.FormatBool(got.Admit))
	}
	text("reason", w.Reason, got.Reason)
	text("action", w.Action, got.Action)
	if w.Violations != nil {
		all = append(all, violationChanges(*w.Violations, got.Violations)...)
	}
	if w.Effects != nil {
		differ("effects", jsonOf(*w.Effects), jsonOf(got.Effects))
	}
	if w.Unknown != nil {
		differ("unknown", jsonOf(*w.Unknown), jsonOf(got.Unknown))
	}
	return all
}

// violationChanges tells which violations came, went, and changed what they saw or their limit.
func violationChanges(before, after []engine.Violation) []string {
	find := func(all []engine.Violation, reason string) int {
		return slices.IndexFunc(all, func(v engine.Violation) bool { return v.Reason == reason })
	}
	var all []string
	for _, v := range before {
		at := find(after, v.Reason)
		if at < 0 {
			all = append(all, "without "+v.Reason+measured(v))
			continue
		}
		if after[at].Observed != v.Observed {
			all = append(all, fmt.Sprintf("%s: observed %s → %s", v.Reason, v.Observed, after[at].Observed))
		}
		if after[at].Limit != v.Limit {
			all = append(all, fmt.Sprintf("%s: limit %s → %s", v.Reason, v.Limit, after[at].Limit))
		}
	}
	for _, v := range after {
		if find(before, v.Reason) < 0 {
			all = append(all, "also "+v.Reason+measured(v))
		}
	}
	if len(all) == 0 && !slices.Equal(before, after) {
		all = append(all, "violations: in another order")
	}
	return all
}

// fixtureResult is what became of a fixture.
type fixtureResult struct {
	fixture
	decision engine.Decision
	wrong    []string // why it failed; nil where it passed
	flip     *flip    // nil where BASE decides alike, or there is none
}

// flip is a decision that is another one by BASE and by HEAD.
type flip struct {
	before, after engine.Decision
	failed        error // BASE gives none
}

func decideFixture(ctx context.Context, f fixture, head, base *suite) fixtureResult {
	r := fixtureResult{fixture: f}
	want, err := f.readWant()
	if err == nil {
		r.decision, err = head.decide(ctx, f)
	}
	if err != nil {
		r.wrong = []string{err.Error()}
		return r
	}
	r.wrong = want.differences(r.decision)
	if len(r.wrong) > 0 && r.decision.Error != "" {
		r.wrong = append(r.wrong, r.decision.Error)
	}
	if base == nil {
		return r
	}
	before, err := base.decide(ctx, f)
	if err != nil || len(changes(before, r.decision)) > 0 {
		r.flip = &flip{before, r.decision, err}
	}
	return r
}

// admits reports whether the flip is of admission itself.
func (f *flip) admits() bool { return f.failed != nil || f.before.Admit != f.after.Admit }

// String tells the flip on one line.
func (f *flip) String() string {
	switch {
	case f.failed != nil:
		return "no decision (" + f.failed.Error() + ") → " + inShort(f.after)
	case f.before.Reason != f.after.Reason || f.before.Action != f.after.Action:
		return inShort(f.before) + " → " + inShort(f.after)
	}
	return inShort(f.after) + ": " + strings.Join(changes(f.before, f.after), "; ")
}

// changes compares two decisions, but for who made them.
func changes(before, after engine.Decision) []string {
	return wanted{&before.Gate, &before.Admit, &before.Reason, &before.Action, &before.Violations, &before.Effects, &before.Unknown}.differences(after)
}

// readWant reads the wanted decision, in which nothing may be misspelt or said twice.
func (f fixture) readWant() (wanted, error) {
	var want wanted
	text, err := readRegular(f.want, inputs.MaxBytes)
	if err != nil {
		return want, err
	}
	if err := json.Unmarshal(text, &want, json.RejectUnknownMembers(true)); err != nil {
		var wrong *json.SemanticError
		if errors.As(err, &wrong) && wrong.Err != nil {
			err = fmt.Errorf("%s: %w", strings.TrimPrefix(string(wrong.JSONPointer), "/"), wrong.Err)
		}
		return want, fmt.Errorf("%s: %s", f.want, strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	if want == (wanted{}) {
		return want, errors.New(f.want + ": wants nothing; name at least a reason")
	}
	return want, nil
}

// inShort is a decision in a few words.
func inShort(d engine.Decision) string {
	if d.Admit || len(d.Violations) == 0 {
		return d.Reason + ", " + d.Action
	}
	return d.Reason + measured(d.Violations[0]) + ", " + d.Action
}
