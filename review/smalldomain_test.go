package review_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review"
)

// smallDomain is of each property all that it may be: a number, a flag, a word, nil, or one of the two below.
type smallDomain map[string][]any

const (
	absent = "absent" // a field that is left out
	there  = "there"  // an object that is not left out
)

// narrowed is the domain as comparisons take it.
func (d smallDomain) narrowed(t *testing.T) review.Domain {
	t.Helper()
	made := review.Domain{}
	for name, all := range d {
		var values review.Values
		for _, value := range all {
			switch value := value.(type) {
			case nil:
				values.Null = true
			case int:
				values.Numbers = append(values.Numbers, int64(value))
			case bool:
				values.Flags = append(values.Flags, value)
			case string:
				if value == absent {
					values.Absent = true
				} else if value != there {
					values.Texts = append(values.Texts, value)
				}
			default:
				require.Failf(t, "no value of a document", "%s: %v", name, value)
			}
		}
		made[name] = values
	}
	return made
}

// thinned has no more than the first most values of a property, but for those of the properties that are kept.
func (d smallDomain) thinned(kept smallDomain, most int) smallDomain {
	made := smallDomain{}
	for name, values := range d {
		if made[name] = values; len(values) > most && kept[name] == nil && !slices.Contains(values, any(absent)) {
			made[name] = values[:most]
		}
	}
	return made
}

// documents goes through the domain of a gate: every combination of values that is a valid document.
func (d smallDomain) documents(t *testing.T, gate string) []inputs.Document {
	t.Helper()
	properties := inputs.Properties(gate)
	for name := range d {
		require.True(t, slices.ContainsFunc(properties, func(p inputs.Property) bool { return p.Name == name }), "%s has no property %s", gate, name)
	}
	var all []inputs.Document
	chosen := map[string]any{"gate": gate}
	var choose func(at int)
	choose = func(at int) {
		if at == len(properties) {
			text, err := json.Marshal(chosen)
			require.NoError(t, err)
			if document, err := inputs.Decode(text, inputs.Source{}); err == nil {
				all = append(all, document)
			}
			return
		}
		p := properties[at]
		into, key := chosen, p.Name
		if object, field, inside := strings.Cut(p.Name, "."); inside {
			into, _ = chosen[object].(map[string]any)
			key = field
			if into == nil { // a field of an object that is absent is absent
				if slices.Contains(d[p.Name], any(absent)) {
					choose(at + 1)
				}
				return
			}
		}
		values, listed := d[p.Name]
		if p.Object && !listed && p.Required {
			values, listed = []any{there}, true
		}
		require.True(t, listed, "the domain of %s says nothing of %s", gate, p.Name)
		for _, value := range values {
			switch value {
			case absent:
			case there:
				into[key] = map[string]any{}
			default:
				into[key] = value
			}
			choose(at + 1)
			delete(into, key)
		}
	}
	choose(0)
	return all
}

// off is how far a document is from another: how many properties differ, and the sum of how far each is.
type off struct {
	fields int
	sum    int64
}

func (o off) less(than off) bool {
	return o.fields < than.fields || o.fields == than.fields && o.sum < than.sum
}

func (o off) String() string { return fmt.Sprintf("%d off by %d", o.fields, o.sum) }

// offOf measures a document, by what it yields as its fields.
func offOf(document, nominal inputs.Document) off {
	here, usual := fieldsOf(document), fieldsOf(nominal)
	var o off
	for _, p := range inputs.Properties(document.Gate()) {
		a, inA := here[p.Name]
		b, inB := usual[p.Name]
		if inA == inB && a == b {
			continue
		}
		o.fields++
		switch {
		case a.Kind != inputs.KindNumber || b.Kind != inputs.KindNumber:
			o.sum++
		case a.Number > b.Number:
			o.sum += a.Number - b.Number
		default:
			o.sum += b.Number - a.Number
		}
	}
	return o
}

// fieldsOf are the fields that are there, objects included.
func fieldsOf(document inputs.Document) map[string]inputs.Value {
	all := map[string]inputs.Value{}
	for name, value := range document.Fields() {
		if object, _, inside := strings.Cut(name, "."); inside {
			all[object] = inputs.Value{Kind: inputs.KindFlag, Flag: true}
		}
		all[name] = value
	}
	return all
}
