package main

import (
	"errors"
	"strings"

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
	key        keyFlags
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
			return errors.New("name a verb\n" + strings.TrimSpace(cmd.UsageString()))
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return applySettings(cmd, io.environ) },
	}
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	flags := root.PersistentFlags()
	flags.StringVar(&c.settings, "settings", "", "`FILE` of settings: a value for each flag (YAML, TOML or JSON)")
	flags.BoolVar(&c.noColor, "no-color", false, "no colours, even on a terminal (NO_COLOR does the same)")
	flags.BoolVarP(&c.quiet, "quiet", "q", false, "errors alone on standard error")
	flags.BoolVarP(&c.verbose, "verbose", "v", false, "more on standard error")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return errors.New(err.Error() + "\nsee: " + cmd.CommandPath() + " --help")
	})
	root.AddCommand(newEval(io, c), newCheck(io, c), newTest(io, c), newExplain(io, c), newBuild(io, c), newDiff(io, c), newReplay(io, c), newReview(io, c), newVersion(io, c))
	return root
}

// addPolicyFlags are the flags of a verb that loads policies.
func addPolicyFlags(verb *cobra.Command, c *common) {
	flags := verb.Flags()
	flags.StringVarP(&c.policy, "policy", "p", "", policyUsage)
	addThresholdsFlag(verb, c)
}

const policyUsage = "policies: `DIR`, a bundle (FILE.tar.gz) or a git revision (git:REF[:DIR]) (default ./policies when it is there, else the embedded ones)"

func addThresholdsFlag(verb *cobra.Command, c *common) {
	addKeyFlags(verb, &c.key)
	verb.Flags().StringArrayVarP(&c.thresholds, "thresholds", "t", nil, "`FILE` of thresholds that overlay those of the policies; repeatable, later ones win")
}

// addFormatFlag is -f with the formats of a verb, the default first. Settings that name another verb's format leave
// the default.
func addFormatFlag(verb *cobra.Command, format *string, formats []string) {
	verb.Annotations = map[string]string{"formats": strings.Join(formats, " ")}
	verb.Flags().StringVarP(format, "format", "f", formats[0], "one of "+strings.Join(formats, ", "))
}
