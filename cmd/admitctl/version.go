package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
)

// versions is what version prints.
type versions struct {
	Admitctl string        `json:"admitctl"`
	Commit   string        `json:"commit,omitempty"`
	OPA      string        `json:"opa"`
	Go       string        `json:"go"`
	Policies engine.Policy `json:"policies"`
}

func newVersion(io stdio) *cobra.Command {
	verb := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of admitctl, OPA and the embedded policies",
		Args:  cobra.NoArgs,
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
		switch format {
		case "json":
			return json.NewEncoder(io.out).Encode(v)
		case "pretty":
			_, err := fmt.Fprintf(io.out, "admitctl %s\nopa      %s\ngo       %s\npolicies %s (embedded)\n", v.Admitctl, v.OPA, v.Go, v.Policies.Revision)
			return err
		}
		return fmt.Errorf("--format: there is no format %q; pretty or json", format)
	}
	return verb
}
