package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The ends of the domain (rule 8).
const (
	maxCount   = int64(1) << 20
	maxAmount  = int64(1) << 40 // milliseconds, tokens, characters
	maxVersion = int64(1)<<53 - 1
)

// gone is the value of a field that is taken away.
var gone = new(int)

// place sets the field at a dotted path, or takes it away when gone.
func place(d document, path string, value any) {
	head, rest, nested := strings.Cut(path, ".")
	switch {
	case nested:
		place(d[head].(map[string]any), rest, value)
	case value == gone:
		delete(d, head)
	default:
		d[head] = value
	}
}

// docField is what a field of a document may be: a name, one of some words, a
// switch, an object, or a whole number from min to max.
type docField struct {
	path     string
	kind     string // "name", "word", "switch", "object", "whole"
	words    []string
	min, max int64
	required bool // must be present, null or not
	signal   bool // may be null
}

// The short forms in which the tables below are written. A bare field is
// optional and never null.
func nameField(path string) docField    { return docField{path: path, kind: "name"} }
func switchField(path string) docField  { return docField{path: path, kind: "switch"} }
func objectField(path string) docField  { return docField{path: path, kind: "object"} }
func countField(path string) docField   { return docField{path: path, kind: "whole", max: maxCount} }
func amountField(path string) docField  { return docField{path: path, kind: "whole", max: maxAmount} }
func versionField(path string) docField { return docField{path: path, kind: "whole", max: maxVersion} }
func wordField(path, words string) docField {
	return docField{path: path, kind: "word", words: strings.Fields(words)}
}
func slackField(path string) docField {
	return docField{path: path, kind: "whole", min: -maxAmount, max: maxAmount}
}

func (f docField) must() docField   { f.required = true; return f }
func (f docField) sensed() docField { f.signal = true; return f }

// docFields are the fields of each gate's documents, beside the discriminator.
var docFields = map[string][]docField{
	"fence": {
		nameField("intent_id").must(), nameField("revision"), switchField("borrow").must(),
		objectField("primary").must(), nameField("primary.name").must(), countField("primary.depth").must().sensed(),
		countField("primary.retry_budget").must().sensed(), amountField("primary.health_age_ms").must().sensed(),
		countField("primary.depth_limit"), amountField("primary.health_max_age_ms"),
		objectField("borrowed"), nameField("borrowed.name").must(), countField("borrowed.depth").must().sensed(),
		countField("borrowed.retry_budget").must().sensed(), amountField("borrowed.health_age_ms").must().sensed(),
		countField("borrowed.depth_limit"), amountField("borrowed.health_max_age_ms"),
	},
	"fence.retry": {
		nameField("attempt_id").must(), nameField("created_on").must(), objectField("charge").must(),
		nameField("charge.name").must(), countField("charge.retry_budget").must().sensed(),
	},
	"fence.bind": {
		nameField("attempt_id").must(), nameField("score_revision").must(),
		nameField("current_revision").must().sensed(),
		wordField("attempt_state", "accepted shed bound expired").must().sensed(),
	},
	"compaction": {
		slackField("slack_ms").must().sensed(), amountField("queue_age_ms").must().sensed(), amountField("est_gen_ms").must(),
		amountField("est_tokens"), amountField("transcript_chars"), countField("retry_count").must(),
		amountField("token_ceiling").must(), versionField("transcript_version").must(),
		versionField("latest_version").must().sensed(), wordField("path", "free paid"),
		countField("jobs_this_turn"), versionField("last_compacted_version"),
		switchField("cancelable").sensed(), switchField("same_turn").sensed(), amountField("console_age_ms").sensed(),
	},
	"fanout": {
		nameField("class").must(), amountField("queue_age_ms").must().sensed(), slackField("deadline_slack_ms").must().sensed(),
		amountField("tokens_in_window").must().sensed(), countField("successes_in_window").must().sensed(),
		countField("tool_depth").must().sensed(), countField("retries_in_window").must().sensed(),
		countField("siblings").sensed(), countField("inflight").sensed(), amountField("meter_age_ms").sensed(),
		switchField("class_enabled"), countField("max_depth"), countField("max_siblings"),
	},
}

// accepts says whether a value is of the field's type and in its range.
func (f docField) accepts(value any) bool {
	switch v := value.(type) {
	case nil:
		return f.signal
	case int64:
		return f.kind == "whole" && f.min <= v && v <= f.max
	case bool:
		return f.kind == "switch"
	case map[string]any:
		return f.kind == "object"
	case string:
		return f.kind == "name" && validName(v) || f.kind == "word" && slices.Contains(f.words, v)
	}
	return false
}

// validName is the rule for identifiers and names: 1 to 128 code points, none
// of them a control or format character, no spaces outside.
func validName(s string) bool {
	n := utf8.RuneCountInString(s)
	hidden := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
	return utf8.ValidString(s) && n >= 1 && n <= 128 && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, hidden)
}

// checkDocument is rule 7 from the outside: it says why a document is invalid.
func checkDocument(gate string, d document) error {
	known := map[string]bool{"gate": true}
	if d["gate"] != gate {
		return fmt.Errorf("gate is %v, want %s", d["gate"], gate)
	}
	for _, f := range docFields[gate] {
		known[f.path] = true
		if value, present, possible := lookUp(d, f.path); !possible {
			continue
		} else if !present && f.required {
			return fmt.Errorf("%s is missing", f.path)
		} else if present && !f.accepts(value) {
			return fmt.Errorf("%s cannot be %v (%T)", f.path, value, value)
		}
	}
	for _, path := range pathsOf(d, "") {
		if !known[path] {
			return fmt.Errorf("%s is unknown", path)
		}
	}
	return checkTogether(gate, d)
}

// checkTogether are the rules that speak of several fields: borrowing needs a
// second plane and the revision that is scored, the two planes are distinct
// (even where the second is ignored, to be on the safe side), and exactly one
// estimate is given.
func checkTogether(gate string, d document) error {
	switch gate {
	case "fence":
		if d["borrow"] == true && (d["borrowed"] == nil || d["revision"] == nil) {
			return fmt.Errorf("borrow needs borrowed and revision")
		}
		if b, given := d["borrowed"].(map[string]any); given && b["name"] == d["primary"].(map[string]any)["name"] {
			return fmt.Errorf("primary and borrowed are the same plane")
		}
	case "compaction":
		if (d["est_tokens"] == nil) == (d["transcript_chars"] == nil) {
			return fmt.Errorf("exactly one of est_tokens and transcript_chars must be given")
		}
	}
	return nil
}

// lookUp finds a field; it is possible only where the object that would hold
// it is there.
func lookUp(d document, path string) (value any, present, possible bool) {
	if head, rest, nested := strings.Cut(path, "."); nested {
		inner, ok := d[head].(map[string]any)
		if !ok {
			return nil, false, false
		}
		return lookUp(inner, rest)
	}
	value, present = d[path]
	return value, present, true
}

// pathsOf lists every field of a document, dotted.
func pathsOf(d document, prefix string) (paths []string) {
	for key, value := range d {
		paths = append(paths, prefix+key)
		if inner, nested := value.(map[string]any); nested {
			paths = append(paths, pathsOf(inner, prefix+key+".")...)
		}
	}
	return paths
}
