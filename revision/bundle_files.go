package revision

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// decided are the files of a bundle that OPA decides by: rules, and data. What OPA would decide by and engine would not,
// or the other way round, is refused: the two must not differ.
func decided(files map[string][]byte) (map[string][]byte, error) {
	kept := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		switch base := path.Base(name); {
		case name == signaturesFile:
		case name == manifestFile:
			if err := readManifest(files[name]); err != nil {
				return nil, fmt.Errorf("%q: %w", name, err)
			}
		case strings.HasSuffix(name, manifestFile), strings.HasSuffix(name, manifestFile+".pb"):
			return nil, fmt.Errorf("%q: a manifest is called /%s", name, manifestFile)
		case path.Ext(base) == ".wasm", base == "plan.json", base == "plan.pb":
			return nil, fmt.Errorf("%q: compiled policies are not read, since nothing in them can be checked; build without --target", name)
		case base == "patch.json":
			return nil, fmt.Errorf("%q: a change of another bundle is no set of policies; name the whole", name)
		case !isPolicy(name):
			// neither reads it
		case hidden(name):
			return nil, fmt.Errorf("%q: a folder or file of policies does not begin with a dot", name)
		case path.Ext(base) != ".rego" && !isData(base):
			return nil, fmt.Errorf("%q: OPA reads no data of this name from a bundle, but data.json alone; write the bundle with: opa build policies", name)
		default:
			kept[name] = files[name]
		}
	}
	return kept, nil
}

func isData(base string) bool {
	return base == "data.json" || base == "data.yaml" || base == "data.yml"
}

// manifest is what a bundle says of itself, as far as it changes what is decided.
type manifest struct {
	Roots            *[]string         `json:"roots"`
	RegoVersion      *int              `json:"rego_version"`
	FileRegoVersions map[string]int    `json:"file_rego_versions"`
	Wasm             []json.RawMessage `json:"wasm"`
}

func readManifest(text []byte) error {
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("no manifest: %w", err)
	}
	switch {
	case m.RegoVersion != nil && *m.RegoVersion != 1:
		return fmt.Errorf("it is written in version %d of Rego; only version 1 is read", *m.RegoVersion)
	case len(m.Wasm) > 0:
		return errors.New("compiled policies are not read; build without --target")
	}
	for _, name := range slices.Sorted(maps.Keys(m.FileRegoVersions)) {
		if m.FileRegoVersions[name] != 1 {
			return fmt.Errorf("%q is written in version %d of Rego; only version 1 is read", name, m.FileRegoVersions[name])
		}
	}
	if m.Roots != nil && !slices.ContainsFunc(*m.Roots, func(root string) bool { return strings.Trim(root, "/") == "" }) {
		return fmt.Errorf("it holds %q alone, a part of what is decided by; build it from the whole set of policies", *m.Roots)
	}
	return nil
}
