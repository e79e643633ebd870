package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/admitctl/admitctl/review"
)

// junit is the report for continuous integration: a suite a gate, with a case a change, which fails where it was asked to
// fail on.
func (r *reviewed) junit(out io.Writer) error {
	all := junit.Testsuites{Name: "admitctl review"}
	for _, name := range slices.Sorted(maps.Keys(r.Gates)) {
		all.AddSuite(r.suiteOf(name))
	}
	for _, suite := range []junit.Testsuite{r.propertySuite(), r.fixtureSuite(), r.recordedSuite()} {
		if suite.Tests > 0 {
			all.AddSuite(suite)
		}
	}
	return all.WriteXML(out)
}

func (r *reviewed) suiteOf(name string) junit.Testsuite {
	gate := r.Gates[name]
	suite := junit.Testsuite{Name: inXML(name), Time: seconds(0)}
	proof := junit.Testcase{Name: "verdict: " + told(gate.Verdict), Classname: suite.Name}
	words := because(proofWords(gate), gate.Proof.Why)
	switch {
	case r.asks(failUnproved) && foundInGate(failUnproved, gate.Verdict, &gate) == present,
		r.asks(failMixed) && gate.Verdict == review.Mixed:
		proof.Failure = junitResult(told(gate.Verdict), words)
	case r.unknown(gate):
		proof.Error = junitResult("nobody could prove that nothing of "+joined(r.fails)+" is there", words)
	}
	suite.AddTestcase(proof)
	for i, change := range gate.Changes {
		own := junit.Testcase{Name: inXML(fmt.Sprintf("%d: %s: %s", i+1, change.Kind, turn(change))), Classname: suite.Name}
		if r.fails.asks(change.Kind) {
			p := &pretty{}
			p.change(change)
			own.Failure = junitResult(kindWords(change), p.String())
		}
		suite.AddTestcase(own)
	}
	return suite
}

// asks reports whether a word was asked to fail on, by itself or as any.
func (r *reviewed) asks(word string) bool {
	return slices.Contains(r.fails, word) || slices.Contains(r.fails, failAny)
}

// unknown reports whether nobody could prove of a gate what was asked to fail on.
func (r *reviewed) unknown(gate review.GateComparison) bool {
	return slices.ContainsFunc(r.fails, func(word string) bool {
		return word != failProperty && foundInGate(word, gate.Verdict, &gate) == unclear
	})
}

func (r *reviewed) propertySuite() junit.Testsuite {
	suite := junit.Testsuite{Name: "properties", Time: seconds(0)}
	add := func(own property, failure, wrong *junit.Result) {
		suite.AddTestcase(junit.Testcase{Name: inXML(own.Words()), Classname: inXML(own.Gate), Failure: failure, Error: wrong})
	}
	for _, own := range r.Properties.Lost {
		var failure *junit.Result
		if r.asks(failProperty) {
			failure = junitResult("lost: "+own.Words(), strings.Join(own.examples(), "\n"))
		}
		add(own, failure, nil)
	}
	for _, own := range r.Properties.Open {
		var wrong *junit.Result
		if own.unclear() && slices.Contains(r.fails, failProperty) {
			wrong = junitResult(own.String(), own.Why)
		}
		add(own, nil, wrong)
	}
	return suite
}

func (r *reviewed) fixtureSuite() junit.Testsuite {
	suite := junit.Testsuite{Name: "fixtures", Time: seconds(0)}
	if r.Fixtures == nil {
		return suite
	}
	for _, flip := range r.Fixtures.Flips {
		own := junit.Testcase{Name: inXML(flip.File), Classname: inXML(flip.Gate)}
		if r.fails.asks(flip.Kind) || flip.Kind == "" && r.asks(failUnproved) {
			own.Failure = junitResult(kindOrNone(flip.Kind), flip.Change)
		}
		suite.AddTestcase(own)
	}
	return suite
}

func (r *reviewed) recordedSuite() junit.Testsuite {
	suite := junit.Testsuite{Name: "recorded decisions", Time: seconds(0)}
	for _, log := range r.Recorded {
		for _, flip := range log.Flips {
			own := junit.Testcase{Name: inXML(flipWords(flip)), Classname: inXML(log.Log)}
			if r.fails.asks(flip.Kind) {
				own.Failure = junitResult(string(flip.Kind), fmt.Sprintf("first in %s:%d", log.Log, flip.Line))
			}
			suite.AddTestcase(own)
		}
	}
	return suite
}

// inXML is a name without what XML has no way to say.
func inXML(name string) string { return strings.TrimSpace(oneLine(name)) }
