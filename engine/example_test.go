package engine_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// A service compiles the policies once, and decides before it queues.
func Example() {
	ctx := context.Background()
	program, err := engine.Compile(ctx, policies.Files)
	if err != nil {
		log.Fatal(err) // nothing is decided by policies that do not load
	}

	waited := 11 * time.Second
	decision, err := program.Decide(ctx, &inputs.Compaction{
		QueueAgeMS:        inputs.Known(waited.Milliseconds()),
		SlackMS:           inputs.Known(4000),
		EstGenMS:          inputs.Known(1500),
		EstTokens:         inputs.Known(800),
		RetryCount:        inputs.Known(0),
		TokenCeiling:      inputs.Known(5000),
		TranscriptVersion: inputs.Known(7),
		LatestVersion:     inputs.Unknown(), // nobody could say, and unknown is the worst there is
	})
	if err != nil {
		log.Print(err) // no gate decided; the decision is a reject all the same
	}
	if decision.Admit {
		fmt.Println("submit the job")
		return
	}
	fmt.Println(decision.Reason, "->", decision.Action)
	for _, violation := range decision.Violations {
		fmt.Println(violation.Reason, "observed", violation.Observed, "limit", violation.Limit)
	}
	// Output:
	// reject_stale -> drop_and_ack
	// reject_stale observed 7 limit null
	// reject_slack observed 12500 limit 4000
}

// Thresholds of a service overlay those of the policies; a list is replaced whole.
func ExampleOverlay() {
	ctx := context.Background()
	program, err := engine.Compile(ctx, policies.Files, engine.Overlay("admitd.yaml", []byte("fence: {planes: {free-eval: {depth_limit: 1}}}")))
	if err != nil {
		log.Fatal(err)
	}
	decision, err := program.Decide(ctx, &inputs.Fence{
		IntentID: "I1",
		Revision: "R3",
		Borrow:   inputs.KnownFlag(true),
		Primary:  inputs.Plane{Name: "gpu-a", Depth: inputs.Known(0), RetryBudget: inputs.Known(3), HealthAgeMS: inputs.Known(0)},
		Borrowed: &inputs.Plane{Name: "free-eval", Depth: inputs.Known(1), RetryBudget: inputs.Known(1), HealthAgeMS: inputs.Known(0)},
	})
	fmt.Println(decision.Reason, decision.Violations, decision.Effects, err)
	// Output:
	// shed_borrowed_depth [{shed_borrowed_depth 1 1}] [] <nil>
}

// On the hot path a service asks for the verdict alone, which allocates nothing where the gate has a table.
func ExampleProgram_Verdict() {
	ctx := context.Background()
	program, err := engine.Compile(ctx, policies.Files)
	if err != nil {
		log.Fatal(err)
	}
	verdict, err := program.Verdict(ctx, &inputs.Fence{
		IntentID: "I1",
		Borrow:   inputs.KnownFlag(false),
		Primary:  inputs.Plane{Name: "gpu-a", Depth: inputs.Known(3), RetryBudget: inputs.Known(2), HealthAgeMS: inputs.Known(40)},
	})
	if err != nil {
		log.Print(err) // no gate decided; the verdict rejects all the same
	}
	fmt.Println(verdict.Admit, verdict.Reason, verdict.Action)
	for _, effect := range verdict.Effects() {
		fmt.Println(effect.Plane, effect.Counter, effect.Delta)
	}
	// Output:
	// true admit proceed
	// gpu-a depth 1
}

// Whole decisions one after the other, in one: the second allocates nothing where the gate has a table. What must outlive
// the next call is copied.
func ExampleProgram_DecideInto() {
	ctx := context.Background()
	program, err := engine.Compile(ctx, policies.Files)
	if err != nil {
		log.Fatal(err)
	}
	var decision engine.Decision
	for _, state := range []string{inputs.AttemptAccepted, inputs.AttemptExpired} {
		document := &inputs.Bind{AttemptID: "A1", ScoreRevision: "R3", CurrentRevision: inputs.KnownText("R4"), AttemptState: inputs.KnownText(state)}
		if err := program.DecideInto(ctx, document, &decision); err != nil {
			log.Print(err) // no gate decided; the decision is a reject all the same
		}
		fmt.Println(decision.Reason, decision.Violations)
	}
	// Output:
	// reject_revision_moved [{reject_revision_moved "R3" "R4"}]
	// reject_late_score [{reject_late_score "expired" "accepted"} {reject_revision_moved "R3" "R4"}]
}

// What decides each gate: a table, or OPA and why.
func ExampleProgram_Evaluators() {
	program, err := engine.Compile(context.Background(), policies.Files)
	if err != nil {
		log.Fatal(err)
	}
	for _, evaluator := range program.Evaluators() {
		fmt.Println(evaluator.Gate, evaluator)
	}
	// Output:
	// compaction decided by a table
	// fanout decided by a table
	// fence decided by a table
	// fence.bind decided by a table
	// fence.retry decided by a table
}
