package main

import (
	"github.com/admitctl/admitctl/engine"
)

func thresholdRows() []badInput {
	const plain = "write a plain whole number such as 15000, or true or false"
	const name = "names have 1 to 128 code points, no control or format characters and no outer spaces"
	ceiling := func(value string) string { return "compaction:\n  token_ceiling: " + value + "\n" }
	rows := []badInput{
		{row: 16, what: "class without a limit", overlay: "classes:\n  batch:\n    max_siblings: 2\n    reject_when: {queue_age_ms: 1, slack_ms_below: 1}\n", place: "2:3",
			says: []string{"classes.batch.max_depth: missing", "classes.batch.reject_when.tokens_per_success_est: missing", "a limit that is not there must never be compared with"}},

		{row: 17, what: "quoted number", overlay: ceiling(`"2"`), place: "2:18", says: []string{`compaction.token_ceiling: "2" is of the wrong type`, "write a whole number, without quotes"}},
		{row: 17, what: "empty value", overlay: ceiling(""), place: "2:17", says: []string{"compaction.token_ceiling: empty (null)", plain}},
		{row: 17, what: "yes", overlay: "compaction: {enabled: yes}\n", place: "1:23", says: []string{`compaction.enabled: "yes" is of the wrong type`, "write true or false"}},
		{row: 17, what: "number for a flag", overlay: "compaction: {enabled: 1}\n", place: "1:23", says: []string{"compaction.enabled: 1 is of the wrong type", "write true or false"}},
		{row: 17, what: "flag for a number", overlay: ceiling("true"), place: "2:18", says: []string{"compaction.token_ceiling: true is of the wrong type", "write a whole number"}},
		{row: 17, what: "list for a number", overlay: ceiling("[5]"), place: "2:3", says: []string{"compaction.token_ceiling: a list is of the wrong type", "write a whole number"}},
		{row: 17, what: "number for a map", overlay: "compaction: 5\n", place: "1:13", says: []string{"compaction: 5 is of the wrong type", "write a map"}},
		{row: 17, what: "number below its range", overlay: ceiling("-5"), place: "2:18", says: []string{"-5 is out of range", "write 0 or more"}},
		{row: 17, what: "number above its range", overlay: ceiling("1099511627777"), place: "2:18", says: []string{"1099511627777 is out of range", "write 1099511627776 or less"}},
		{row: 17, what: "number above every range", overlay: ceiling("99999999999999999999"), place: "2:18", says: []string{"99999999999999999999 is out of range"}},
		{row: 17, what: "unknown word", overlay: "compaction: {free_path: off}\n", place: "1:25", says: []string{`compaction.free_path: "off" is not allowed here`, "enabled", "disabled"}},

		{row: 18, what: "unknown threshold", overlay: "compaction:\n  token_celing: 5\n", place: "2:17", says: []string{"compaction.token_celing: unknown threshold", `did you mean "token_ceiling"?`}},
		{row: 18, what: "unknown gate of thresholds", overlay: "compactoin: {}\n", place: "1:1", says: []string{"compactoin: unknown threshold", `did you mean "compaction"?`}},
		{row: 18, what: "unknown threshold of a plane", overlay: "fence: {planes: {free-eval: {depht_limit: 2}}}\n", place: "1:43", says: []string{`fence.planes["free-eval"].depht_limit: unknown threshold`, `did you mean "depth_limit"?`}},
		{row: 18, what: "threshold set twice", overlay: "compaction:\n  token_ceiling: 5\n  token_ceiling: 6\n", place: "3:3", says: []string{"compaction.token_ceiling: set twice, first on line 2", "keep one"}},
		{row: 18, what: "anchor", overlay: "compaction:\n  token_ceiling: &a 5\n  max_retries: *a\n", place: "2:18", says: []string{"an anchor or alias", "write the value out"}},
		{row: 18, what: "merge key", overlay: "fence:\n  default: &d {depth_limit: 4}\n  planes: {a: {<<: *d}}\n", place: "3:16", says: []string{"a key that is not a plain string"}},
		{row: 18, what: "tag", overlay: ceiling("!!int \"5\""), place: "2:18", says: []string{"a YAML tag (!)", "write the plain value"}},
		{row: 18, what: "tag without a name", overlay: ceiling("! 5"), place: "2:18", says: []string{"a YAML tag (!)", "write the plain value"}},
		{row: 18, what: "two YAML documents", overlay: ceiling("5") + "---\n" + ceiling("6"), place: "3:1", says: []string{"a second YAML document", "remove the ---"}},
		{row: 18, what: "tab", overlay: "compaction:\n\ttoken_ceiling: 5\n", place: "2:1", says: []string{"broken YAML: the line begins with a tab; indent with spaces"}},
		{row: 18, what: "number as a key", overlay: "classes: {1: {reserved: true}}\n", place: "1:11", says: []string{"a key that is not a plain string", "quote it"}},
		{row: 18, what: "list as a key", overlay: "classes: {[a]: {reserved: true}}\n", place: "1:11", says: []string{"a key that is not a plain string"}},
		{row: 18, what: "list of thresholds", overlay: "- compaction\n", place: "1:1", says: []string{"thresholds are a map of names to values"}},
		{row: 18, what: "control character", overlay: "compaction:\n  token_ceiling: 5 # \x1b[31m\n", place: "2:22", says: []string{"broken YAML: control characters are not allowed"}},
		{row: 18, what: "thresholds that are not UTF-8", overlay: "compaction: {}\nfence: {planes: {\"\xff\": {}}}\n", place: "2:19", says: []string{"broken YAML"}},
		{row: 18, what: "half a file", overlay: "compaction: {token_ceiling: 5", place: "1:1", says: []string{"broken YAML"}},

		{row: 19, what: "empty name", overlay: "classes: {\"\": {reserved: true}}\n", place: "1:11", says: []string{`classes: "" is no name`, name}},
		{row: 19, what: "outer space in a name", overlay: "classes: {\" a\": {reserved: true}}\n", place: "1:11", says: []string{`" a" is no name`, name}},
		{row: 19, what: "bidi control in a name", overlay: "fence: {planes: {\"a\\u202e\": {}}}\n", place: "1:18", says: []string{`"a\u202e" is no name`, name}},
	}
	for _, value := range []string{"1.5", "1e3", "010", "0x10", "0o10", "15_000", "+5", "-0", "~", "null", ".inf", ".nan", "2026-11-30", "True"} {
		problem := `compaction.token_ceiling: "` + value + `" is neither a whole number nor true or false`
		if value == "~" || value == "null" {
			problem = "compaction.token_ceiling: empty (null)"
		}
		rows = append(rows, badInput{row: 17, what: "threshold written as " + value, overlay: ceiling(value), place: "2:18", says: []string{problem, plain}})
	}
	for i := range rows {
		rows[i].kind = engine.ErrThresholds
	}
	return append(rows, badInput{row: 21, what: "two files that set one threshold", kind: engine.ErrThresholds,
		edit:  []edit{write("site.yaml", "compaction:\n  token_ceiling: 1\n")},
		place: ":", says: []string{"compaction.token_ceiling: set already by", "site.yaml:2", "thresholds.yaml:", "load one of the two as an overlay"}})
}

// warningRows load, and say what will happen.
func warningRows() []badInput {
	return []badInput{
		{row: 20, what: "health that outlives one sample alone", overlay: "fence: {default: {sample_interval_ms: 1001}}\n", place: "thresholds.yaml:17:24",
			warns: "fence.default.health_max_age_ms: is 2000, less than twice the sample_interval_ms of 1001: one late sample sheds; write 2002 or more"},
		{row: 20, what: "health of a plane that outlives one sample alone", overlay: "fence:\n  planes:\n    gpu-a:\n      sample_interval_ms: 500\n      health_max_age_ms: 999\n", place: "5:26",
			warns: `fence.planes["gpu-a"].health_max_age_ms: is 999`},
		{row: 20, what: "plane that admits nothing", overlay: "fence: {planes: {a: {depth_limit: 0}}}\n", place: "1:35", warns: "fence.planes.a.depth_limit: is 0: this plane admits nothing"},
		{row: 20, what: "no tokens", overlay: "compaction: {token_ceiling: 0}\n", place: "1:29", warns: "compaction.token_ceiling: is 0: only a job that is estimated at 0 tokens is admitted"},
		{row: 20, what: "class that admits nothing", overlay: "classes: {tool_fanout: {reject_when: {tokens_per_success_est: 0}}}\n", place: "1:63", warns: "is 0: only work that spent no tokens is admitted"},
		{row: 20, what: "fail open", overlay: "rollback: {fail_closed: false}\n", place: "1:25", warns: "rollback.fail_closed: is false, and changes nothing: there is no fail-open"},
		{row: 20, what: "precedence that names no check", overlay: "fence: {retry: {precedence: [reject_cross_plane, compensate_or_shed]}}\n", place: "1:30", warns: `"reject_cross_plane" is the reason of no check of gate fence.retry`},
		{row: 20, what: "thresholds that set nothing", overlay: "# empty\n", place: "1:1", warns: "sets no threshold"},
	}
}
