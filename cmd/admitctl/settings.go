package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/admitctl/admitctl/inputs"
)

const environmentPrefix = "ADMITCTL_"

// applySettings fills the flags that the command line left alone: from ADMITCTL_<FLAG>, else from the settings file,
// which is read only when it is named. Thresholds of gates never pass through here.
func applySettings(cmd *cobra.Command, environ []string) error {
	environment := map[string]string{}
	for _, pair := range environ {
		if name, value, _ := strings.Cut(pair, "="); value != "" && strings.HasPrefix(name, environmentPrefix) { // an empty one sets nothing
			environment[name] = value
		}
	}
	if file, ok := environment[environmentPrefix+"SETTINGS"]; ok && !cmd.Flags().Changed("settings") {
		if err := cmd.Flags().Set("settings", file); err != nil {
			return err
		}
	}
	known := flagNames(cmd.Root())
	for name := range environment {
		if err := misspelt(name, known); err != nil {
			return err
		}
	}
	file, err := readSettings(cmd, known)
	if err != nil {
		return err
	}
	var failed error
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Changed || flag.Name == "settings" || flag.Name == "help" || failed != nil {
			return
		}
		name := environmentName(flag.Name)
		value, ok := environment[name]
		switch {
		case ok && !elsewhere(cmd, flag.Name, value):
			failed = setFlag(cmd, flag, filepath.SplitList(value), value, name)
		case !ok && file.IsSet(flag.Name) && !elsewhere(cmd, flag.Name, file.GetString(flag.Name)):
			value, err := scalarOf(file, flag)
			if err != nil {
				failed = err
				return
			}
			failed = setFlag(cmd, flag, listOf(file, flag.Name), value, file.ConfigFileUsed())
		}
	})
	return failed
}

// elsewhere reports a format that another verb has and this one has not: settings serve them all.
func elsewhere(cmd *cobra.Command, flag, value string) bool {
	has := func(verb *cobra.Command) bool {
		return slices.Contains(strings.Fields(verb.Annotations["formats"]), value)
	}
	return flag == "format" && !has(cmd) && slices.ContainsFunc(cmd.Root().Commands(), has)
}

// scalarOf is the one value of a flag that takes one; a list or map would otherwise read as nothing at all.
func scalarOf(file *viper.Viper, flag *pflag.Flag) (string, error) {
	_, repeatable := flag.Value.(pflag.SliceValue)
	switch file.Get(flag.Name).(type) {
	case []any, map[string]any:
		if !repeatable {
			return "", fmt.Errorf("settings %s: %q takes one value here, not a list", file.ConfigFileUsed(), flag.Name)
		}
	}
	return file.GetString(flag.Name), nil
}

// listOf is a list of the settings file; one string is a list of one, spaces and all.
func listOf(file *viper.Viper, key string) []string {
	if text, ok := file.Get(key).(string); ok {
		return []string{text}
	}
	return file.GetStringSlice(key)
}

// setFlag sets a flag, a repeatable one once for each value of a list.
func setFlag(cmd *cobra.Command, flag *pflag.Flag, list []string, value, from string) error {
	if _, repeatable := flag.Value.(pflag.SliceValue); !repeatable {
		list = []string{value}
	}
	for _, value := range list {
		if err := cmd.Flags().Set(flag.Name, value); err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
	}
	return nil
}

// readSettings reads the settings file, if one is named, and refuses keys that are no flag of this verb or another.
func readSettings(cmd *cobra.Command, known []string) (*viper.Viper, error) {
	file := viper.New()
	name, err := cmd.Flags().GetString("settings")
	if err != nil || name == "" {
		return file, err
	}
	file.SetConfigFile(name)
	if err := file.ReadInConfig(); err != nil {
		return nil, fmt.Errorf("settings %s: %w; name it .yaml, .toml or .json, after what is in it", name, err)
	}
	for _, flag := range known {
		if file.InConfig(flag) && !file.IsSet(flag) {
			return nil, fmt.Errorf("settings %s: %q is empty; give it a value or remove it", name, flag)
		}
	}
	for _, key := range file.AllKeys() {
		if slices.Contains(known, key) {
			continue
		}
		if nearest := inputs.Nearest(key, known); nearest != "" {
			return nil, fmt.Errorf("settings %s: no flag is called %q; did you mean %q?", name, key, nearest)
		}
		return nil, fmt.Errorf("settings %s: no flag is called %q; see: admitctl eval --help", name, key)
	}
	return file, nil
}

// misspelt refuses a variable that is nearly that of a flag: thresholds that are not loaded would loosen limits.
func misspelt(variable string, known []string) error {
	name := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, environmentPrefix), "_", "-"))
	if nearest := inputs.Nearest(name, known); nearest != "" && nearest != name {
		return fmt.Errorf("%s: no flag is called %q; did you mean %s?", variable, name, environmentName(nearest))
	}
	return nil
}

func environmentName(flag string) string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// flagNames are the flags of all verbs, so that one file can serve them all.
func flagNames(root *cobra.Command) []string {
	var names []string
	add := func(flag *pflag.Flag) { names = append(names, flag.Name) }
	root.PersistentFlags().VisitAll(add)
	for _, verb := range root.Commands() {
		verb.Flags().VisitAll(add)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
