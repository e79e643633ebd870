package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/thresholds"
)

// validateThresholds holds the thresholds against the schema, tells every difference with its file and line, and
// reports whether there is none. What a file declares or sets that could not be read is not missed.
func validateThresholds(s *source, all *schemas, tree *thresholds.Tree, found *problems) bool {
	all.torn = s.torn
	all.validate(tree, found)
	return found.more == 0 && !slices.ContainsFunc(found.list, func(p Problem) bool { return errors.Is(p.Kind, ErrThresholds) })
}

func (s *schemas) validate(tree *thresholds.Tree, found *problems) {
	const name = "thresholds.json"
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, s.thresholds); err != nil {
		found.add(Problem{Problem: "the schema of the thresholds: " + err.Error(), Kind: ErrSchema})
		return
	}
	schema, err := compiler.Compile(name)
	if err != nil {
		found.add(Problem{Problem: "the schema of the thresholds: " + err.Error(), Kind: ErrSchema})
		return
	}
	err = schema.Validate(tree.Value())
	var invalid *jsonschema.ValidationError
	switch {
	case errors.As(err, &invalid):
		s.addInvalid(invalid, tree, found)
	case err != nil:
		found.add(Problem{Problem: "the thresholds: " + err.Error(), Kind: ErrThresholds})
	}
}

// addInvalid tells the leaves of a validation error, which are its causes.
func (s *schemas) addInvalid(invalid *jsonschema.ValidationError, tree *thresholds.Tree, found *problems) {
	for _, cause := range invalid.Causes {
		s.addInvalid(cause, tree, found)
	}
	if len(invalid.Causes) > 0 {
		return
	}
	at, path := tree.Find(invalid.InstanceLocation)
	if at.Broken && at.Kind != thresholds.Map {
		return // told already
	}
	switch wrong := invalid.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, name := range wrong.Properties {
			if s.mayDeclare(path, name) {
				continue
			}
			place, full := at.Fields[name].At, thresholds.Join(path, name)
			mend := "remove it"
			if nearest := inputs.Nearest(name, s.properties(invalid.SchemaURL)); nearest != "" {
				mend = fmt.Sprintf("did you mean %q?", nearest)
			}
			found.addData(place, full, "unknown threshold", mend)
		}
	case *kind.Required:
		for _, name := range wrong.Missing {
			if at.Broken {
				continue
			}
			found.addData(at.At, thresholds.Join(path, name), "missing", "set it: a limit that is not there must never be compared with")
		}
	case *kind.Type:
		found.addData(at.At, path, shown(at)+" is of the wrong type", "write "+typeNames(wrong.Want))
	case *kind.Minimum:
		found.addData(at.At, path, shown(at)+" is out of range", "write "+wrong.Want.RatString()+" or more")
	case *kind.Maximum:
		found.addData(at.At, path, shown(at)+" is out of range", "write "+wrong.Want.RatString()+" or less")
	case *kind.Not:
		found.addData(at.At, path, shown(at)+" is not allowed here", "leave it out: it always comes first")
	case *kind.UniqueItems:
		found.addData(at.At, path, "lists "+shown(at.Items[wrong.Duplicates[1]])+" twice", "keep one")
	case *kind.Enum:
		found.addData(at.At, path, shown(at)+" is not allowed here", fmt.Sprintf("write one of %v", wrong.Want))
	default:
		found.addData(at.At, path, fmt.Sprintf("%s: %s", shown(at), invalid.ErrorKind.LocalizedString(message.NewPrinter(language.English))), "")
	}
}

// mayDeclare reports whether a package that could not be read may declare a threshold: any at the root, else one that
// is called as the package is.
func (s *schemas) mayDeclare(path, name string) bool {
	return len(s.torn) > 0 && (path == "" || slices.ContainsFunc(s.torn, func(torn string) bool { return torn == "" || strings.HasSuffix(torn, "."+name) }))
}

// typeNames says in an operator's words what JSON schema calls integer, boolean, object and array.
func typeNames(types []string) string {
	names := strings.NewReplacer("integer", "a whole number, without quotes", "boolean", "true or false", "object", "a map", "array", "a list", "string", "a word")
	return names.Replace(strings.Join(types, " or "))
}

// properties names what the part of the thresholds' schema at a location allows.
func (s *schemas) properties(location string) []string {
	_, pointer, _ := strings.Cut(location, "#/")
	schema := s.thresholds
	for _, step := range strings.Split(pointer, "/") {
		if inner, ok := schema[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)].(map[string]any); ok {
			schema = inner
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(properties))
}

func shown(n *thresholds.Tree) string {
	if n.Kind != thresholds.Scalar {
		return map[thresholds.Kind]string{thresholds.Map: "a map", thresholds.List: "a list"}[n.Kind]
	}
	text, err := json.Marshal(n.Scalar)
	if err != nil {
		return "the value"
	}
	return string(text)
}
