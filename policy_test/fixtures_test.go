package policy_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const fixturesRoot = "../fixtures"

// fixture is a document and the decision that it must get.
type fixture struct {
	file string
	gate string
	text []byte
	want decision
}

// readFixtures reads the fixtures below a directory in the order in which the command decides them, those of an
// overlay only when the directory is that overlay's.
func readFixtures(t testing.TB, root string) []fixture {
	t.Helper()
	var all []fixture
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if entry.IsDir() && file != root && entry.Name() == "overlays" {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(file, ".json") || strings.HasSuffix(file, ".want.json") {
			return nil
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		wanted, err := os.ReadFile(strings.TrimSuffix(file, ".json") + ".want.json")
		require.NoError(t, err, "every fixture has its wanted decision beside it")
		want, err := decodeDecision(wanted)
		require.NoError(t, err, file)
		all = append(all, fixture{file: file, gate: want.Gate, text: text, want: want})
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, all, root)
	return all
}

// fixtureSets yields each overlay with its fixtures, and no overlay with the others.
func fixtureSets(t testing.TB, each func(name, overlayFile, overlay string, fixtures []fixture)) {
	t.Helper()
	each("default", "", "", readFixtures(t, fixturesRoot))
	overlays, err := filepath.Glob(fixturesRoot + "/overlays/*/overlay.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, overlays)
	for _, file := range overlays {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		folder := filepath.Dir(file)
		each(filepath.Base(folder), file, string(text), readFixtures(t, folder))
	}
}

// Every fixture gets its wanted decision through the library, through OPA's own evaluator and from the model.
func TestFixturesThroughTheLibraryAndOPA(t *testing.T) {
	fixtureSets(t, func(name, _, overlay string, fixtures []fixture) {
		d := open(t, overlay)
		tree := overlaid(treeNamed("defaults"), parseTree(overlay))
		for _, f := range fixtures {
			t.Run(name+"/"+strings.TrimPrefix(f.file, fixturesRoot+"/"), func(t *testing.T) {
				require.Equal(t, f.want, d.decide(t, f.gate, f.text))
				require.Equal(t, f.want, model(f.gate, documentOf(t, f.text), tree), "the model")
			})
		}
	})
}

// Every fixture gets its wanted decision from the command, and a line each, in the order of the files.
func TestFixturesThroughTheCommand(t *testing.T) {
	command := filepath.Join(t.TempDir(), "admitctl")
	out, err := exec.Command("go", "build", "-o", command, "../cmd/admitctl").CombinedOutput()
	require.NoError(t, err, "%s", out)
	fixtureSets(t, func(name, overlayFile, _ string, fixtures []fixture) {
		t.Run(name, func(t *testing.T) {
			args := []string{"eval", "-f", "json", "--timeout", "1m", "-p", "../policies"}
			if overlayFile != "" {
				args = append(args, "-t", overlayFile)
			}
			for _, f := range fixtures {
				args = append(args, f.file)
			}
			run := exec.Command(command, args...)
			var stdout, stderr bytes.Buffer
			run.Stdout, run.Stderr = &stdout, &stderr
			if err := run.Run(); err != nil {
				var exit *exec.ExitError
				require.ErrorAs(t, err, &exit)
			}
			require.LessOrEqual(t, run.ProcessState.ExitCode(), 1, "%s", stderr.String())
			lines := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
			require.Len(t, lines, len(fixtures))
			for i, f := range fixtures {
				got, err := decodeDecision([]byte(lines[i]))
				require.NoError(t, err, lines[i])
				require.Equal(t, f.want, got, f.file)
			}
		})
	})
}

// A fixture is named after its outcome, so that a directory listing reads as documentation.
func TestFixturesAreNamedAfterTheirOutcome(t *testing.T) {
	reasons := []string{"admit", "admit_probe", "bind", "retry_same_plane"}
	program := open(t, "").program
	for _, gate := range gates() {
		for _, check := range program.Checks(gate) {
			reasons = append(reasons, check.Reason)
		}
	}
	fixtureSets(t, func(_, _, _ string, fixtures []fixture) {
		for _, f := range fixtures {
			longest := ""
			for _, reason := range reasons {
				if strings.HasPrefix(filepath.Base(f.file), reason) && len(reason) > len(longest) {
					longest = reason
				}
			}
			require.Equal(t, f.want.Reason, longest, f.file)
		}
	})
}

// Every reason that a gate can give, with each of its actions, is that of a fixture, and so is every way to admit.
func TestEveryReasonAndActionHasAFixture(t *testing.T) {
	seen := map[string]bool{}
	fixtureSets(t, func(_, _, _ string, fixtures []fixture) {
		for _, f := range fixtures {
			seen[f.gate+" "+f.want.Reason+" "+f.want.Action] = true
		}
	})
	var missing []error
	program := open(t, "").program
	for _, gate := range gates() {
		for _, check := range program.Checks(gate) {
			if key := gate + " " + check.Reason + " " + check.Action; check.Reason != "invalid_input" && !seen[key] {
				missing = append(missing, errors.New(key))
			}
		}
	}
	for _, key := range []string{
		"fence admit proceed", "fence admit admit_score_only", "fence.retry retry_same_plane retry_same_plane", "fence.bind bind bind",
		"compaction admit submit", "fanout admit keep_worker_cap_depth", "fanout admit keep_one_worker_watch_slack", "fanout admit_probe probe",
	} {
		if !seen[key] {
			missing = append(missing, errors.New(key))
		}
	}
	require.NoError(t, errors.Join(missing...))
}
