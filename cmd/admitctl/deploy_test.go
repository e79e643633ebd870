package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

type step struct {
	Uses, Run, Shell string
	With, Env        map[string]string
}

func readYAML[T any](t *testing.T, name string) (made T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &made))
	return made
}

type action struct {
	Inputs map[string]struct{ Description, Default string }
	Runs   struct {
		Using string
		Steps []step
	}
}

type workflow struct {
	On          map[string]any
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Steps       []step
	}
}

var expression = regexp.MustCompile(`\$\{\{\s*([^}]*?)\s*\}\}`)

// requireHarmless wants a step in which nothing that somebody else wrote becomes part of a command.
func requireHarmless(t *testing.T, own step) {
	t.Helper()
	require.NotContains(t, own.Run, "${{", "pass it by the environment")
	for _, value := range slices.Concat(slices.Collect(maps.Values(own.Env)), slices.Collect(maps.Values(own.With))) {
		for _, match := range expression.FindAllStringSubmatch(value, -1) {
			require.Regexp(t, `^(inputs\.[a-z-]+|github\.(action_path|event\.pull_request\.number|token))$`, match[1])
		}
	}
	if own.Run != "" {
		require.Equal(t, "bash", own.Shell)
		check := exec.Command("bash", "-n")
		check.Stdin = strings.NewReader(own.Run)
		out, err := check.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

func TestTheActionTakesNothingForACommand(t *testing.T) {
	made := readYAML[action](t, "deploy/github/action.yml")
	require.Equal(t, "composite", made.Runs.Using)
	passed := map[string]bool{}
	for _, own := range made.Runs.Steps {
		requireHarmless(t, own)
		for _, value := range own.Env {
			passed[strings.TrimPrefix(expression.ReplaceAllString(value, "$1"), "inputs.")] = true
		}
	}
	script, err := os.ReadFile(filepath.Join("..", "..", "deploy", "github", "review.sh"))
	require.NoError(t, err)
	for name, input := range made.Inputs {
		require.NotEmpty(t, input.Description, name)
		require.True(t, passed[name] || name == "install-solver", "input %s reaches nobody", name)
	}
	for name := range made.Runs.Steps[len(made.Runs.Steps)-1].Env {
		require.True(t, name == "GH_TOKEN" || strings.Contains(string(script), name), "%s is not read", name)
	}
}

func TestTheExampleWorkflowHasTheLeastRights(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "github", "workflow.yml"))
	require.NoError(t, err)
	made := readYAML[workflow](t, "deploy/github/workflow.yml")
	require.Equal(t, []string{"pull_request"}, slices.Collect(maps.Keys(made.On)))
	require.NotNil(t, made.Permissions)
	require.Empty(t, made.Permissions, "what a job does not ask for it has not")
	require.NotContains(t, string(text), "secrets.")
	inputs := readYAML[action](t, "deploy/github/action.yml").Inputs
	for _, job := range made.Jobs {
		require.Equal(t, map[string]string{"contents": "read", "pull-requests": "write"}, job.Permissions)
		for _, own := range job.Steps {
			requireHarmless(t, own)
			switch {
			case strings.HasPrefix(own.Uses, "actions/checkout@"):
				require.Equal(t, "0", own.With["fetch-depth"], "the base is read from git")
				require.Equal(t, "false", own.With["persist-credentials"])
			case strings.HasPrefix(own.Uses, "admitctl/admitctl/deploy/github@"):
				for name := range own.With {
					require.Contains(t, inputs, name)
				}
				_, err := parseFailOn([]string{own.With["fail-on"]}, reviewFails())
				require.NoError(t, err)
			}
		}
	}
}

// No workflow of this repository and no example runs with the rights of the base on what a stranger has pushed.
func TestNoWorkflowRunsForStrangersWithRights(t *testing.T) {
	var files []string
	for _, pattern := range []string{".github/workflows/*", "deploy/github/*"} {
		found, err := filepath.Glob(filepath.Join("..", "..", pattern))
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.Greater(t, len(files), 3)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(text), "pull_request_target", file)
		require.NotContains(t, string(text), "workflow_run", file)
		require.NotRegexp(t, `run:.*\$\{\{`, string(text), file)
	}
}

func TestTheHooksOfPreCommitRunWhatThereIs(t *testing.T) {
	hooks := readYAML[[]struct {
		ID, Name, Entry, Language, Files string
		PassFilenames                    *bool `yaml:"pass_filenames"`
	}](t, ".pre-commit-hooks.yaml")
	names := []string{}
	for _, hook := range hooks {
		names = append(names, hook.ID)
		require.NotEmpty(t, hook.Name)
		require.Equal(t, "golang", hook.Language)
		require.NotNil(t, hook.PassFilenames)
		require.False(t, *hook.PassFilenames, "a set of policies is checked whole")
		require.Regexp(t, hook.Files, "policies/thresholds.yaml")
		require.Regexp(t, hook.Files, "policies/fence/fence.rego")
		words := strings.Fields(hook.Entry)
		require.Equal(t, "admitctl", words[0])
		verb, rest, err := newRoot(stdio{}).Find(words[1:])
		require.NoError(t, err)
		require.Equal(t, hook.ID, "admitctl-"+verb.Name())
		require.NoError(t, verb.ParseFlags(rest))
		require.Empty(t, verb.Flags().Args())
	}
	require.Equal(t, []string{"admitctl-check", "admitctl-test", "admitctl-review"}, names)
}
