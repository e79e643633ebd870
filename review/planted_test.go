package review_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/review"
)

// comparison is a call of a guard that compares, whose arguments may hold one call more.
var comparison = regexp.MustCompile(`guard\.(less|at_most)\(([^(),]+(?:\([^()]*\))?), ([^(),]+(?:\([^()]*\))?)\)`)

// Every comparison of every table of rules is turned round, one at a time, and the properties must tell, but where a gate
// then rejects more, or admits the same in another way, which is for fixtures to tell.
func TestComparisonsThatAreTurnedRoundAreCaught(t *testing.T) {
	base, err := engine.Compile(t.Context(), policies.Files)
	require.NoError(t, err)
	caught := map[string]int{}
	var missed []string
	for gate, file := range map[string]string{"compaction": "compaction/compaction.rego", "fanout": "fanout/fanout.rego", "fence": "fence/fence.rego", "fence.retry": "fence/retry/retry.rego"} {
		whole := edited(t, "", "", "")
		text := string(whole[file].Data)
		for _, at := range comparison.FindAllStringSubmatchIndex(text, -1) {
			turned := fmt.Sprintf("guard.%s(%s, %s)", text[at[2]:at[3]], text[at[6]:at[7]], text[at[4]:at[5]])
			whole[file].Data = []byte(text[:at[0]] + turned + text[at[1]:])
			program, err := base.Reload(t.Context(), whole)
			require.NoError(t, err)
			if proved(t, program, review.Options{Gates: []string{gate}}).Count(review.StatusRefuted) > 0 {
				caught[gate]++
			} else {
				missed = append(missed, turned)
			}
		}
	}
	require.Equal(t, map[string]int{"compaction": 5, "fanout": 7, "fence": 6, "fence.retry": 1}, caught)
	require.Equal(t, []string{
		"guard.less(successes, 0)",                                     // the first makes amplification of retries beside successes, the second burn of tokens where
		"guard.less(successes, 0)",                                     // some succeed: both reject more
		"guard.less(guard.times(queue_age_ms, 2), queue_age_limit_ms)", // which of two ways it is admitted
	}, missed)
}
