package main

import (
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
		Short: "Print the versions of admitctl, OPA and the embedded policies",
		Long: `version prints the versions of admitctl, OPA and Go, and the revision of the embedded policies. With -v it says of each
embedded gate whether a table or OPA decides it; of your own policies, check and explain GATE say so.`,
		Args: cobra.NoArgs,
	}
	var format string
	addFormatFlag(verb, &format, []string{"pretty", "json"})
	verb.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		program, err := engine.Compile(cmd.Context(), policies.Files)
		if err != nil {
			return fmt.Errorf("the embedded policies do not load:\n%w", err)
		}
		v := versions{Admitctl: "(devel)", OPA: engine.OPAVersion(), Go: runtime.Version(), Policies: engine.Policy{Revision: program.Revision()}}
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

func deciders(evaluators []engine.Evaluator) []deciderJSON {
	all := make([]deciderJSON, len(evaluators))
	for i, own := range evaluators {
		all[i] = deciderJSON{Gate: own.Gate, Table: own.Table, By: inputs.Printable(own.String())}
	}
	return all
}

func (v versions) pretty() string {
	text := &strings.Builder{}
	fmt.Fprintf(text, "admitctl %s\nopa      %s\ngo       %s\npolicies %s (embedded)\n", v.Admitctl, v.OPA, v.Go, v.Policies.Revision)
	for _, own := range v.Gates {
		fmt.Fprintf(text, "gate     %s: %s\n", own.Gate, own.By)
	}
	return text.String()
}
