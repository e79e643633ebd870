package review

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/table"
)

// needed keeps, of several edits that may have caused a change, the thresholds without which it does not happen: each is
// put back alone, in the table of head. Rules, and what cannot be put back, stay where no threshold is needed.
func (e *edits) needed(p *pair, d decided, causes []Cause) []Cause {
	if len(causes) < 2 || p.tables[1] == nil {
		return causes
	}
	var data, was map[string]any
	if decodeWhole(e.programs[1].Data(), &data) != nil || decodeWhole(e.programs[0].Data(), &was) != nil {
		return causes
	}
	before := p.examine(&d.flat)
	var needed []Cause
	for _, cause := range causes {
		steps := stepsOf(cause.Threshold)
		value, isNumber := table.At(was, steps).(int64)
		if _, isNumberToo := table.At(data, steps).(int64); cause.Threshold == "" || !isNumber || !isNumberToo {
			continue
		}
		back, err := p.tables[1].Program().Bind(with(data, steps, value), nil, "")
		if err != nil {
			continue
		}
		undone := *p
		undone.tables[1] = back
		if undone.examine(&d.flat) != before {
			needed = append(needed, cause)
		}
	}
	if len(needed) == 0 {
		return causes
	}
	return needed
}

// decodeWhole decodes thresholds, whose numbers are whole.
func decodeWhole(text []byte, into *map[string]any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var raw map[string]any
	if err := decoder.Decode(&raw); err != nil {
		return err
	}
	*into, _ = whole(raw).(map[string]any)
	return nil
}

func whole(value any) any {
	switch value := value.(type) {
	case json.Number:
		n, err := value.Int64()
		if err != nil {
			return value
		}
		return n
	case map[string]any:
		for key, inner := range value {
			value[key] = whole(inner)
		}
	case []any:
		for i, inner := range value {
			value[i] = whole(inner)
		}
	}
	return value
}

// stepsOf are the names of a path such as fence.planes["free-eval"].depth_limit.
func stepsOf(path string) []string {
	var steps []string
	for path != "" {
		if quoted, ok := strings.CutPrefix(path, "["); ok {
			end := strings.Index(quoted, `"]`)
			if end < 0 {
				return nil
			}
			steps = append(steps, unquoted("["+quoted[:end+2]))
			path = strings.TrimPrefix(quoted[end+2:], ".")
			continue
		}
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		steps = append(steps, path[:end])
		path = strings.TrimPrefix(path[end:], ".")
	}
	return steps
}

// with is data in which one value is another.
func with(data map[string]any, steps []string, value any) map[string]any {
	same := maps.Clone(data)
	if len(steps) == 1 {
		same[steps[0]] = value
		return same
	}
	inner, _ := data[steps[0]].(map[string]any)
	same[steps[0]] = with(inner, slices.Clone(steps[1:]), value)
	return same
}
