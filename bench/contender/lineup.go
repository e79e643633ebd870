package contender

import (
	"fmt"

	"github.com/admitctl/admitctl/bench/mix"
	"github.com/admitctl/admitctl/bench/native"
	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
)

// seed makes the documents the same in every run.
const seed = 20

// Whole is, gate by gate, n documents of the whole contract and those who can decide them. The program must have been
// compiled with [mix.Overlay].
func Whole(program *engine.Program, n int) ([]Lineup, error) {
	thresholds, err := native.Read(program.Data())
	if err != nil {
		return nil, err
	}
	source := mix.New(seed)
	fences, retries, binds := mix.Take(n, source.Fence), mix.Take(n, source.Retry), mix.Take(n, source.Bind)
	compactions, fanouts := mix.Take(n, source.Compaction), mix.Take(n, source.Fanout)
	lineups := []Lineup{
		{Gate: "fence", Documents: Documents(fences), Contenders: nativeFence(thresholds, fences)},
		{Gate: "fence.retry", Documents: Documents(retries), Contenders: nativeRetry(thresholds, retries)},
		{Gate: "fence.bind", Documents: Documents(binds), Contenders: nativeBind(thresholds, binds)},
		{Gate: "compaction", Documents: Documents(compactions), Contenders: nativeCompaction(thresholds, compactions)},
		{Gate: "fanout", Documents: Documents(fanouts), Contenders: nativeFanout(thresholds, fanouts)},
	}
	for i := range lineups {
		l := &lineups[i]
		l.Mix = "whole"
		shipped, err := stockShipped(program, l.Gate, l.Documents)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Gate, err)
		}
		l.Contenders = append(doors(program, l.Gate, l.Documents), append(l.Contenders, shipped)...)
	}
	return lineups, nil
}

// Bare is, gate by gate, n documents that bare checks can decide, and those who decide them; native code decides the
// whole contract here too.
func Bare(program *engine.Program, n int) ([]Lineup, error) {
	thresholds, err := native.Read(program.Data())
	if err != nil {
		return nil, err
	}
	source := mix.New(seed)
	fences, compactions, fanouts := mix.Take(n, source.BareFence), mix.Take(n, source.BareCompaction), mix.Take(n, source.BareFanout)
	lineups := []Lineup{
		{Gate: "fence", Documents: Documents(fences), Contenders: nativeFence(thresholds, fences)},
		{Gate: "compaction", Documents: Documents(compactions), Contenders: nativeCompaction(thresholds, compactions)},
		{Gate: "fanout", Documents: Documents(fanouts), Contenders: nativeFanout(thresholds, fanouts)},
	}
	for i := range lineups {
		l := &lineups[i]
		l.Mix, l.Contenders = "bare", append(doors(program, l.Gate, l.Documents), l.Contenders...)
		for _, add := range []func() (Contender, error){
			func() (Contender, error) { return stockBare(program, l.Gate, l.Documents) },
			func() (Contender, error) { return celBare(l.Gate, l.Documents) },
			func() (Contender, error) { return cedarBare(l.Gate, l.Documents) },
		} {
			contender, err := add()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.Gate, err)
			}
			l.Contenders = append(l.Contenders, contender)
		}
	}
	return lineups, nil
}

// Doors are the names of the ways in which this project decides a document, the one that says most first.
func Doors() []string { return []string{Decide, DecideInto, Verdict, TableVerdict} }

// Door is the one of [Doors] that targets are about.
func Door() string { return Verdict }

// Main is that door.
func Main(program *engine.Program, documents []inputs.Document) Contender {
	return verdict(program, documents)
}

// doors are the ways in which this project decides the documents of a gate, in the order of [Doors].
func doors(program *engine.Program, gate string, documents []inputs.Document) []Contender {
	return []Contender{
		decide(program, documents),
		decideInto(program, documents),
		verdict(program, documents),
		tableVerdict(program, gate, documents),
	}
}
