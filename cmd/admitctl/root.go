package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// common are the flags of every verb that decides.
type common struct {
	policy     string
	thresholds []string
	format     string
	output     string
	gate       string
	settings   string
	noColor    bool
	quiet      bool
	verbose    bool
}

func newRoot(io stdio) *cobra.Command {
	c := &common{}
	root := &cobra.Command{
		Use:   "admitctl",
		Short: "Decide whether background AI work may be admitted",
		Long: `admitctl decides whether background AI work may be admitted, by policies that operators edit.

Exit codes: 0 all admitted, 1 something was rejected, 2 no verdict (usage, unreadable input, policies that do not
load, time-out). With several documents the highest wins.

Every flag can be set as ADMITCTL_<FLAG> or in a --settings file; a flag wins over both.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_ = cmd.Usage()
			return &exitError{code: exitNoVerdict}
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return applySettings(cmd, io.environ) },
	}
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	flags := root.PersistentFlags()
	flags.StringVarP(&c.policy, "policy", "p", "", "`DIR` of policies (default ./policies when it is there, else the embedded ones)")
	flags.StringArrayVarP(&c.thresholds, "thresholds", "t", nil, "`FILE` of thresholds that overlay those of the policies; repeatable, later ones win")
	flags.StringVarP(&c.output, "output", "o", "", "write to `FILE` instead of standard output")
	flags.StringVar(&c.settings, "settings", "", "`FILE` of settings: a value for each flag (YAML, TOML or JSON)")
	flags.BoolVar(&c.noColor, "no-color", false, "no colours, even on a terminal (NO_COLOR does the same)")
	flags.BoolVarP(&c.quiet, "quiet", "q", false, "errors alone on standard error")
	flags.BoolVarP(&c.verbose, "verbose", "v", false, "more on standard error")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return errors.New(err.Error() + "\nsee: " + cmd.CommandPath() + " --help")
	})
	root.AddCommand(newEval(io, c), newVersion(io))
	return root
}
