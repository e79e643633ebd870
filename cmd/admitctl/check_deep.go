package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/engine"
)

// agreementJSON is what --deep found of one gate, as check -f json prints it.
type agreementJSON struct {
	Gate       string `json:"gate"`
	Table      bool   `json:"table"`
	Documents  int    `json:"documents"`
	Outside    int    `json:"outside"`
	Mismatches int    `json:"mismatches"`
	Error      string `json:"error,omitempty"`
}

func agreementsJSON(all []engine.Agreement) []agreementJSON {
	var list []agreementJSON
	for _, own := range all {
		j := agreementJSON{Gate: own.Gate, Table: own.Table, Documents: own.Documents, Outside: own.Outside, Mismatches: own.Mismatches}
		if own.Err != nil {
			j.Error = own.Err.Error()
		}
		list = append(list, j)
	}
	return list
}

// deepen compares the tables with OPA, a gate after the other, and adds a warning for each that disagrees.
func (c *checked) deepen(ctx context.Context, flags *common, to stdio) error {
	gates := c.Program.Gates()
	if flags.gate != "" {
		if !slices.Contains(gates, flags.gate) {
			return fmt.Errorf("--gate: there is no gate %q; one of %s", flags.gate, strings.Join(gates, ", "))
		}
		gates = []string{flags.gate}
	}
	for i, gate := range gates {
		done := progress(to, flags, fmt.Sprintf("comparing gate %s with OPA (%d of %s)", gate, i+1, count(len(gates), "gate")))
		found := c.Program.Deepen(ctx, gate)
		done()
		if ctx.Err() != nil {
			return fmt.Errorf("--deep: stopped in gate %s: %w", gate, context.Cause(ctx))
		}
		c.deep = append(c.deep, found...)
		for _, own := range found {
			switch {
			case own.Table && errors.Is(own.Err, engine.ErrDisagreement):
				c.Warnings = append(c.Warnings, c.mismatch(own))
			case own.Table && own.Err != nil:
				return fmt.Errorf("--deep: gate %s: %s compared, and not the others: %w", gate, count(own.Documents, "document"), own.Err)
			}
		}
	}
	return nil
}

// mismatch is the warning that a table decides otherwise than OPA.
func (c *checked) mismatch(own engine.Agreement) engine.Problem {
	gate, _ := c.Program.Gate(own.Gate)
	return engine.Problem{
		File: gate.File, Line: gate.Line, Column: 1, Problem: own.Err.Error(),
		Mend: "report this, with these policies: the table decides the gate wherever this program runs", Kind: engine.ErrDisagreement,
	}
}

// compared is a line about what --deep found of one gate.
func compared(own engine.Agreement) string {
	if !own.Table {
		return fmt.Sprintf("gate %s: no table to compare with OPA", own.Gate)
	}
	return fmt.Sprintf("gate %s: %s compared with OPA, with its rule index and without; %d left to OPA, %d decided differently", own.Gate, count(own.Documents, "document"), own.Outside, own.Mismatches)
}

// progress tells on a terminal what is being waited for, and gives what takes that away again.
func progress(to stdio, flags *common, text string) (done func()) {
	if flags.quiet || !isTerminal(to.err) {
		return func() {}
	}
	_, _ = io.WriteString(to.err, text+" …") // there is nobody left to tell if that fails
	return func() { _, _ = io.WriteString(to.err, "\r\x1b[K") }
}
