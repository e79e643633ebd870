package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
)

func TestRulesAreWhatIsWrittenButForPlaceAndComments(t *testing.T) {
	rules := func(program *engine.Program) map[string]engine.Rule {
		all := map[string]engine.Rule{}
		for _, rule := range program.Rules() {
			all[rule.Package+"."+rule.Name] = rule
		}
		return all
	}
	shipped, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	own := rules(shipped)
	row := own["admission.compaction.violated[reject_stale]"]
	require.Equal(t, "policies/compaction/compaction.rego", row.File)
	require.Contains(t, row.Text, `"action":"drop_and_ack"`)
	require.Subset(t, own["admission.compaction.lands_in_time"].Reads, []string{"admission.guard.less", "admission.compaction.projected_ms", "admission.compaction.slack_ms"})
	require.Contains(t, own["admission.fanout.violated[token_burn_vs_success]"].Text, "reject_until_meter", "two rows of one reason are one rule")

	files := edited(t, "", "", "")
	for name := range files {
		files[name].Data = append([]byte("# A comment.\n\n"), files[name].Data...)
	}
	moved, err := engine.Compile(t.Context(), files, engine.Named("elsewhere"))
	require.NoError(t, err)
	for name, rule := range rules(moved) {
		require.Equal(t, own[name].Text, rule.Text, name)
		require.Equal(t, own[name].Line+2, rule.Line, name)
	}
}

func TestARuleThatAsksForItsMetadataHasIt(t *testing.T) {
	texts := map[string]string{}
	for _, description := range []string{"One thing.", "Another."} {
		files := edited(t, "compaction/compaction.rego", `observed["reject_slack"] := projected_ms`,
			"# METADATA\n# description: "+description+"\n"+`observed["reject_slack"] := rego.metadata.rule().description`)
		program, err := engine.Compile(t.Context(), files)
		require.NoError(t, err)
		for _, rule := range program.Rules() {
			if strings.HasPrefix(rule.Name, "observed") && strings.Contains(rule.Name, "reject_slack") {
				texts[rule.Text] = description
			}
		}
	}
	require.Len(t, texts, 2, "what is described is what is decided")
}

func TestAskIsOPAAlone(t *testing.T) {
	program, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	document := &inputs.Retry{AttemptID: "A1", CreatedOn: "a", Charge: inputs.Charge{Name: "a", RetryBudget: inputs.Known(1)}}
	byTable, err := program.Decide(t.Context(), document)
	require.NoError(t, err)
	byOPA, err := program.Ask(t.Context(), document)
	require.NoError(t, err)
	require.Equal(t, byTable, byOPA)
	var none *engine.Program
	refused, err := none.Ask(t.Context(), document)
	require.ErrorIs(t, err, engine.ErrEvaluation)
	require.False(t, refused.Admit)
}
