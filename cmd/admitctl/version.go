package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

// versions is what version prints.
type versions struct {
	Admitctl string        `json:"admitctl"`
	Commit   string        `json:"commit,omitempty"`
	OPA      string        `json:"opa"`
	Go       string        `json:"go"`
	Policies engine.Policy `json:"policies"`
	From     string        `json:"from"`            // how the policies are named
	Gates    []deciderJSON `json:"gates,omitempty"` // with -v
}

// deciderJSON says what decides a gate.
type deciderJSON struct {
	Gate  string `json:"gate"`
	Table bool   `json:"table"`
	By    string `json:"by"` // the same in words, and of OPA why
}

func newVersion(io stdio, c *common) *cobra.Command {
	verb := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of admitctl, OPA and the policies",
		Long: `version prints the versions of admitctl, OPA and Go, and the revision of the policies: those that -p names, else the
embedded ones. With -v it says of each gate whether a table or OPA decides it.`,
		Args: cobra.NoArgs,
	}
	addPolicyFlags(verb, c)
	var format string
	addFormatFlag(verb, &format, []string{"pretty", "json"})
	verb.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		program, from, err := versionOf(cmd.Context(), c, io)
		if err != nil {
			return err
		}
		v := versions{Admitctl: "(devel)", OPA: engine.OPAVersion(), Go: runtime.Version(), Policies: engine.Policy{Revision: program.Revision()}, From: from}
		if info, ok := debug.ReadBuildInfo(); ok {
			if info.Main.Version != "" {
				v.Admitctl = info.Main.Version
			}
			for _, setting := range info.Settings {
				if setting.Key == "vcs.revision" {
					v.Commit = setting.Value
				}
			}
		}
		if c.verbose {
			v.Gates = deciders(program.Evaluators())
		}
		switch format {
		case "json":
			return json.NewEncoder(io.out).Encode(v)
		case "pretty":
			_, err := fmt.Fprint(io.out, v.pretty())
			return err
		}
		return fmt.Errorf("--format: there is no format %q; pretty or json", format)
	}
	return verb
}

// versionOf are the policies that the flags name, and never ./policies unasked: the version is that of the binary.
func versionOf(ctx context.Context, c *common, io stdio) (*engine.Program, string, error) {
	if c.policy != "" || len(c.thresholds) > 0 || c.key != (keyFlags{algorithm: c.key.algorithm}) {
		return loadProgram(ctx, c, io, engine.DefaultTimeout)
	}
	program, err := engine.Compile(ctx, policies.Files)
	if err != nil {
		return nil, "", fmt.Errorf("the embedded policies do not load:\n%w", err)
	}
	return program, embedded, nil
}

func deciders(evaluators []engine.Evaluator) []deciderJSON {
	all := make([]deciderJSON, len(evaluators))
	for i, own := range evaluators {
		all[i] = deciderJSON{Gate: own.Gate, Table: own.Table, By: inputs.Printable(own.String())}
	}
	return all
}

func (v versions) pretty() string {
	text := &strings.Builder{}
	fmt.Fprintf(text, "admitctl %s\nopa      %s\ngo       %s\npolicies %s (%s)\n", v.Admitctl, v.OPA, v.Go, v.Policies.Revision, v.From)
	for _, own := range v.Gates {
		fmt.Fprintf(text, "gate     %s: %s\n", own.Gate, own.By)
	}
	return text.String()
}
