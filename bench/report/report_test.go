package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/bench/report"
	"github.com/admitctl/admitctl/bench/timing"
)

func TestTargetsAreMetUpToTheLimit(t *testing.T) {
	row := func(figure, beside float64, target report.Target) report.Row {
		return report.Row{Figure: timing.Sample{figure}, Against: timing.Sample{beside}, Target: target, Faster: target.Least > 0}
	}
	for name, test := range map[string]struct {
		row    report.Row
		missed bool
	}{
		"at most, at it":        {row(20, 10, report.AtMost(2)), false},
		"at most, over it":      {row(21, 10, report.AtMost(2)), true},
		"at least, at it":       {row(10, 20, report.AtLeast(2)), false},
		"at least, under it":    {row(11, 20, report.AtLeast(2)), true},
		"none":                  {row(11, 1, report.Target{}), false},
		"nothing, and none":     {report.Row{Figure: timing.Sample{0}, Target: report.AtMost(0)}, false},
		"nothing, and there is": {report.Row{Figure: timing.Sample{1}, Target: report.AtMost(0)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, missed := test.row.Missed()
			require.Equal(t, test.missed, missed)
		})
	}
}

func TestMissesAreToldBelowTheTable(t *testing.T) {
	var page strings.Builder
	rows := []report.Row{
		{Section: "s", What: "ours", Beside: "theirs", Unit: report.Nanoseconds, Figure: timing.Sample{30}, Against: timing.Sample{10}, Target: report.AtMost(2)},
		{Section: "s", What: "ours", Beside: "another", Unit: report.Nanoseconds, Figure: timing.Sample{1500}, Against: timing.Sample{3e9}, Faster: true, Target: report.AtLeast(1000)},
	}
	require.NoError(t, report.Write(&page, "preface\n\n", rows, []string{"note"}))
	require.Contains(t, page.String(), "| s | ours / theirs | 30 ns | 10 ns | 3 | 3 to 3 | ≤ 2 | **slower than it should be** |\n")
	require.Contains(t, page.String(), "|  | another / ours | 1.5 µs | 3 s | 2000000 | 2000000 to 2000000 | ≥ 1000 | met |\n")
	require.Contains(t, page.String(), "- s: ours / theirs: 3, target ≤ 2, 1.5 times off\n")
}
