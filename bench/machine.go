package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// preface is what stands above the table.
func (b *bench) preface() string {
	return fmt.Sprintf("# Performance\n\nWritten by `cd bench && go run . -write ../docs/performance.md`: "+
		"%s, %d cores, %s, %s/%s, OPA %s, cel-go %s, cedar-go %s; %s when it began.\n\n"+
		"Figures are medians of %d interleaved rounds; ratios are taken round by round. `a / b` is how many times b the figure of a is. "+
		"Everything in a row was measured in the same run, on the same documents.\n\n",
		processor(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		version("github.com/open-policy-agent/opa"), version("cel.dev/cel-go"), version("github.com/cedar-policy/cedar-go"), b.busy, b.rounds)
}

// processor is the model of the first one.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range bytes.Lines(text) {
		if name, model, ok := strings.Cut(string(line), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return "unknown processor"
}

// busy is the load of the machine: what else runs makes the figures worse than they are.
func busy() string {
	text, err := os.ReadFile("/proc/loadavg")
	load, _, _ := strings.Cut(string(text), " ")
	if err != nil {
		return "an unknown load"
	}
	return "a load of " + load
}

// version is that of a module in this binary.
func version(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, each := range info.Deps {
			if each.Path == module {
				return each.Version
			}
		}
	}
	return "of unknown version"
}

// notes are what a reader must know to judge the table.
func (b *bench) notes() []string {
	return []string{
		fmt.Sprintf("Documents are made from a fixed seed, %d a gate: two fifths admitted, the others spread over the reasons. Before anything is timed every contender must agree with the engine on each of them.", b.mix),
		"*native* is the contract by hand ([bench/native](../bench/native)): typed documents, thresholds in a struct, the order of checks in code, no observations and limits. It validates the document, as the engine does; *unvalidated* leaves that to whoever made it.",
		"*bare checks* are those of the drills that the gates come from, without guards against unknown signals, validation, limits of the caller's own, effects or a list of violations ([bench/contender/bare](../bench/contender/bare)). Their documents have nothing optional and nothing unknown.",
		"*stock OPA* is `rego.PrepareForEval` once and `EvalInput` of a map a document, numbers as `json.Number`. *cel-go* evaluates one typed expression with limits as constants on prebuilt activations. *cedar-go* authorizes prebuilt requests against a forbid policy a check.",
		"A task that allocates is not charged for the garbage of another: a collection runs before each is timed.",
		"Processes are timed by a small one that starts them, files in the page cache. The stream is read from a file; its rows are extrapolated where they say so.",
	}
}
