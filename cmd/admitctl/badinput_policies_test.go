package main

import (
	"fmt"

	"github.com/admitctl/admitctl/engine"
)

// row is a row of a decision table as the shipped ones are written, but for its head and body.
func row(reason, rest string) string {
	return "# METADATA\n# title: A title\n# description: A description.\n# custom:\n#   reason: " + reason + "\n#   action: reject\n" + rest
}

const head = "violated contains rego.metadata.rule().custom if not "

// policyRows are rules that must not load.
func policyRows() []badInput {
	fanout := func(rules string) []edit { return []edit{rego("fanout", rules)} }
	const field = "read it field by field"
	rows := []badInput{
		{row: 22, what: "syntax error", edit: fanout("x if {\n\tinput.queue_age_ms <\n}"), place: "site.rego:7:1: ", says: []string{"rego_parse_error", "unexpected } token", "\n"}, kind: engine.ErrRego},
		{row: 22, what: "unsafe variable", edit: fanout("x if y == 1"), place: "site.rego:5:6: ", says: []string{"rego_unsafe_var_error: var y is unsafe", "x if y == 1"}, kind: engine.ErrRego},
		{row: 22, what: "wrong argument of a built-in", edit: fanout("x := upper(5)"), place: "site.rego:5:6: ", says: []string{"rego_type_error: upper: invalid argument(s)", "have: (number", "want: (x: string", "x := upper(5)"}, kind: engine.ErrRego},
		{row: 22, what: "Rego of version 0", edit: fanout("x { true }"), place: "site.rego:5:1: ", says: []string{"`if` keyword is required"}, kind: engine.ErrRego},
		{row: 22, what: "recursion", edit: fanout("x if y\n\ny if x"), place: "site.rego:5:1: ", says: []string{"rego_recursion_error"}, kind: engine.ErrRego},
		{row: 22, what: "file of rules that is empty", edit: []edit{write("site.rego", "")}, place: "site.rego: ", says: []string{"the file is empty"}, kind: engine.ErrRego},
		{row: 22, what: "rules that are not UTF-8", edit: fanout("x := \"\xff\""), place: "site.rego:5:", says: []string{"rego_parse_error"}, kind: engine.ErrRego},
		{row: 22, what: "terminal escape in a rule", edit: fanout("x := \"a\" \x1b[31m"), place: "site.rego:5:10: ", says: []string{"rego_parse_error", `\x1b[31m`}, kind: engine.ErrRego},

		{row: 25, what: "built-in as a statement", edit: fanout("x if http.send({\"method\": \"get\", \"url\": \"http://localhost\"})"), place: "site.rego:5:6: ", says: []string{"http.send is not available to gates", "pass it in as input"}, kind: engine.ErrBuiltin},
		{row: 25, what: "built-in in a comprehension", edit: fanout("x := [y | y := time.now_ns()]"), place: "site.rego:5:", says: []string{"time.now_ns is not available to gates"}, kind: engine.ErrBuiltin},
		{row: 25, what: "built-in in an else", edit: fanout("x if input.class == \"a\" else := opa.runtime()"), place: "site.rego:5:", says: []string{"opa.runtime is not available to gates"}, kind: engine.ErrBuiltin},
		{row: 25, what: "built-in in a guard", edit: []edit{rego("guard", "f(x) := rand.intn(x, 5)")}, place: "site.rego:5:9: ", says: []string{"rand.intn is not available to gates"}, kind: engine.ErrBuiltin},
		{row: 25, what: "print", edit: fanout("x if print(input.class)"), place: "site.rego:5:", says: []string{"print is not available to gates"}, kind: engine.ErrBuiltin},
		{row: 25, what: "template string", edit: fanout("x := $\"{time.now_ns()}\""), place: "site.rego:5:", says: []string{"time.now_ns is not available to gates"}, kind: engine.ErrBuiltin},

		{row: 26, what: "misspelt field", edit: fanout("x if guard.less(input.queue_age, 5)"), place: "site.rego:5:17: ", says: []string{"undefined ref: input.queue_age", `have: "queue_age"`, "queue_age_ms", "x if guard.less(input.queue_age, 5)"}, kind: engine.ErrRego},
		{row: 26, what: "misspelt field under not", edit: fanout("x if not y\n\ny if input.class_enabeld == true"), place: "site.rego:7:6: ", says: []string{"undefined ref: input.class_enabeld"}, kind: engine.ErrRego},
		{row: 26, what: "misspelt field of an object", edit: []edit{rego("fence", "x := input.primary.dpeth")}, place: "site.rego:5:6: ", says: []string{"undefined ref: input.primary.dpeth"}, kind: engine.ErrRego},
		{row: 26, what: "misspelt field behind a variable", edit: []edit{rego("fence", "x := plane.dpeth if plane := input.primary")}, place: "site.rego:5:6: ", says: []string{"undefined ref: plane.dpeth"}, kind: engine.ErrRego},
		{row: 26, what: "misspelt threshold", edit: fanout("x := data.fanout.meter_age_ms"), place: "site.rego:5:6: ", says: []string{"undefined ref: data.fanout.meter_age_ms"}, kind: engine.ErrRego},
		{row: 26, what: "schema that a rule loosens", edit: fanout("# METADATA\n# scope: rule\n# schemas:\n#   - input: {type: object}\nx := input.queue_age"), place: "site.rego:8:7: ", says: []string{"a schema for one rule, which could loosen that of its package"}, kind: engine.ErrSchema},
		{row: 26, what: "gate without a schema", edit: []edit{write("site.rego", ownGate("", "default decision := "+rejected+"\n\ndecision := guard.decision({})"))}, place: ": gate ", says: []string{"gate site declares no input schema"}, kind: engine.ErrSchema},

		{row: 27, what: "object get on input", edit: fanout("x := object.get(input, \"queue_age_ms\", 0)"), place: "site.rego:5:17: ", says: []string{"input is read as a whole or by a computed name", field}, kind: engine.ErrForm},
		{row: 27, what: "object get on a part of input", edit: []edit{rego("fence", "x := object.get(input.primary, \"depth\", 0)")}, place: "site.rego:5:6: ", says: []string{"object.get can put a value where a field is missing"}, kind: engine.ErrForm},
		{row: 27, what: "object union over a part of input", edit: []edit{rego("fence", "x := object.union({\"depth\": 0}, input.primary).depth")}, place: "site.rego:5:6: ", says: []string{"object.union can put a value where a field is missing"}, kind: engine.ErrForm},
		{row: 27, what: "input as a whole", edit: fanout("x := y.queue_age_ms if y := input"), place: "site.rego:5:29: ", says: []string{"input is read as a whole or by a computed name", field}, kind: engine.ErrForm},
		{row: 27, what: "field by a computed name", edit: fanout("x := input[y]\n\ny := \"class\""), place: "site.rego:5:6: ", says: []string{"input is read as a whole or by a computed name", field}, kind: engine.ErrForm},
		{row: 27, what: "input by another name", edit: []edit{write("site.rego", "package admission.fanout\n\nimport input as document\n\nx := object.get(document, \"queue_age_ms\", 0)\n")}, place: "site.rego:3:8: ", says: []string{"input is read as a whole or by a computed name"}, kind: engine.ErrForm},
		{row: 27, what: "guard that proves everything", edit: []edit{write("site.rego", "package admission.guard\n\nless(_, _)\n")}, place: "site.rego:1:1: ", says: []string{"a second file of package admission.guard, which could loosen every gate"}, kind: engine.ErrForm},
		{row: 27, what: "violation by what is known", edit: fanout(row("slow", "violated contains rego.metadata.rule().custom if too_slow\n\ntoo_slow if guard.less(5, queue_age_ms)")), place: "site.rego:11:50: ", says: []string{"what is not known would not be violated", "violated … if not CHECK"}, kind: engine.ErrForm},
		{row: 27, what: "bare difference from a literal", edit: fanout(row("busy", head+"idle\n\nidle if input.inflight != 9")), place: "site.rego:13:9: ", says: []string{"a bare != of two values, which holds for nulls too", "guard.differ"}, kind: engine.ErrForm},
		{row: 27, what: "bare equality of two signals", edit: fanout(row("busy", head+"idle\n\nidle if siblings == inflight")), place: "site.rego:13:9: ", says: []string{"a bare == of two values", "guard.same"}, kind: engine.ErrForm},
		{row: 27, what: "bare unification of two signals", edit: fanout(row("busy", head+"idle\n\nidle if siblings = inflight")), place: "site.rego:13:9: ", says: []string{"a bare = of two values"}, kind: engine.ErrForm},
		{row: 27, what: "negated comparison by a name", edit: fanout(row("busy", head+"few\n\nfew if not many\n\nmany if guard.less(3, inflight)")), place: "site.rego:13:8: ", says: []string{"a negation of a comparison, which holds when a value is unknown", "write the opposite comparison"}, kind: engine.ErrForm},
		{row: 27, what: "violation that is misspelt", edit: fanout("violates contains \"slow\" if not small\n\nsmall if guard.less(queue_age_ms, 5)"), place: "site.rego:5:1: ", says: []string{"nothing reads the rule violates", "what counts is named violated"}, kind: engine.ErrForm},
		{row: 27, what: "observed of a misspelt reason", edit: fanout("observed[\"slack_below_flor\"] := deadline_slack_ms"), place: "site.rego:5:1: ", says: []string{"observed[\"slack_below_flor\"] is of no check", "name the reason of a check"}, kind: engine.ErrForm},
		{row: 27, what: "with", edit: fanout("x if valid with input as {}"), place: "site.rego:5:6: ", says: []string{`"with" changes what other rules see`, "keep it to tests"}, kind: engine.ErrForm},
		{row: 27, what: "negated call", edit: fanout("x if not guard.less(5, input.queue_age_ms)"), place: "site.rego:5:6: ", says: []string{"a negation of something else than a named rule", "name the check as a rule of its own"}, kind: engine.ErrForm},
		{row: 27, what: "negated field", edit: fanout("x if not input.class_enabled"), place: "site.rego:5:6: ", says: []string{"a negation of something else than a named rule"}, kind: engine.ErrForm},
		{row: 27, what: "negated comparison", edit: fanout("x if not input.class == \"a\""), place: "site.rego:5:6: ", says: []string{"a negation of something else than a named rule"}, kind: engine.ErrForm},
		{row: 27, what: "violation that reads input", edit: fanout(row("slow", `violated contains {"reason": "slow", "action": "reject", "observed": input.queue_age_ms} if not class_known`)), place: "site.rego:11:1: ", says: []string{"a violation whose head is not its METADATA", "the gate admits"}, kind: engine.ErrForm},
		{row: 27, what: "violation that reads data", edit: fanout(row("slow", `violated contains {"reason": "slow", "action": data.fanout.probe_when_idle} if not class_known`)), place: "site.rego:11:1: ", says: []string{"a violation whose head is not its METADATA"}, kind: engine.ErrForm},
		{row: 27, what: "violation by a field", edit: fanout(row("slow", "violated contains rego.metadata.rule().custom if input.queue_age_ms == null")), place: "site.rego:11:50: ", says: []string{"a violation that does not follow from a check alone"}, kind: engine.ErrForm},
		{row: 27, what: "violation of a misspelt check", edit: fanout(row("slow", head+"class_knwon")), place: "site.rego:11:", says: []string{"not class_knwon"}, kind: engine.ErrForm},
		{row: 27, what: "violation of a set", edit: fanout(row("slow", head+"slow\n\nslow contains input.class")), place: "site.rego:11:50: ", says: []string{"a negation of something else than a named rule"}, kind: engine.ErrForm},
		{row: 27, what: "violation without a reason", edit: fanout("# METADATA\n# title: T\n# description: D.\n# custom: {action: reject}\n" + head + "class_known"), place: "site.rego:9:1: ", says: []string{"a violation without custom.reason"}, kind: engine.ErrForm},
		{row: 27, what: "violation whose reason admits", edit: fanout(row("admit", head+"class_known")), place: "site.rego:11:1: ", says: []string{`a violation with the reason "admit"`}, kind: engine.ErrForm},
		{row: 27, what: "violation with an else", edit: fanout(row("slow", `violated := {1} if class_known else := {2}`)), place: "site.rego:11:", says: []string{"a violation with an else"}, kind: engine.ErrForm},
		{row: 27, what: "reason of a rule that is not named violated", edit: fanout(row("slow", "violates contains rego.metadata.rule().custom if not class_known")), place: "site.rego:11:1: ", says: []string{"not named violated, so that it would never count"}, kind: engine.ErrForm},
		{row: 27, what: "default that guesses a signal", edit: []edit{swap("compaction/document.rego", "default queue_age_ms := null", "default queue_age_ms := 0")}, place: "compaction/document.rego:", says: []string{"a default of 0, which guesses what nobody knows", "write null", "default queue_age_ms := 0"}, kind: engine.ErrForm},
	}
	for _, comparison := range []struct{ what, rule, shown string }{
		{"less", "x if input.queue_age_ms < 5", "<"},
		{"less than a string", `x if input.queue_age_ms < "15000"`, "<"},
		{"less or equal", "x if input.queue_age_ms <= 5", "<="},
		{"greater", "x if 5 > input.queue_age_ms", ">"},
		{"greater or equal", "x if 5 >= input.queue_age_ms", ">="},
		{"sum", "x if y == input.queue_age_ms + 5\n\ny := 5", "+"},
		{"difference", "x := input.queue_age_ms - 5", "-"},
		{"product", "x := input.queue_age_ms * 5", "*"},
		{"quotient", "x := input.queue_age_ms / 5", "/"},
		{"remainder", "x := input.queue_age_ms % 5", "%"},
		{"comparison by name", "x if lt(input.queue_age_ms, 5)", "<"},
		{"maximum", "x := max([input.queue_age_ms, 5])", "max"},
		{"sorted list", "x := sort([input.queue_age_ms, 5])[0]", "sort"},
		{"comparison in a comprehension", "x := {y | y := input.queue_age_ms; y < 5}", "<"},
		{"comparison in every", "x if { every y in [input.queue_age_ms] { y < 5 } }", "<"},
		{"comparison in a function", "f(y) if y < 5", "<"},
	} {
		rows = append(rows, badInput{row: 27, what: "bare " + comparison.what, edit: fanout(comparison.rule), place: "site.rego:5:",
			says: []string{"a bare " + comparison.shown + ", which holds for nulls and strings too", "guard.less"}, kind: engine.ErrForm})
	}
	return rows
}

// rejected is the default decision of a gate.
const rejected = `{"gate": "site", "admit": false, "reason": "policy_undefined", "action": "reject", "violations": [], "effects": [], "unknown": []}`

// ownGate is a gate that an operator adds.
func ownGate(schema, rules string) string {
	return "# METADATA\n# scope: package\n# title: Site\n" + schema + "package admission.site\n\nimport data.admission.guard\n\n" + rules + "\n"
}

// entrypointRows are gates that might not decide.
func entrypointRows() []badInput {
	const entry = "decision := guard.decision({\n\t\"name\": \"fanout\""
	rows := []badInput{
		{row: 23, what: "no policies at all", edit: []edit{dropAll}, place: "", says: []string{"there is no policy (*.rego) here"}, kind: engine.ErrFiles},
		{row: 23, what: "gate that is missing", edit: []edit{drop("fanout/fanout.rego")}, place: ": gate ", says: []string{"gate fanout has no decision", "the rule must be named decision, in package admission.fanout"}},
		{row: 23, what: "gate in another package", edit: []edit{swap("fanout/fanout.rego", "package admission.fanout", "package admission.fan_out"), swap("fanout/document.rego", "package admission.fanout", "package admission.fan_out")}, place: ": gate ", says: []string{"gate fanout has no decision"}},
		{row: 23, what: "gate outside admission", edit: []edit{swap("fanout/fanout.rego", "package admission.fanout", "package fanout"), swap("fanout/document.rego", "package admission.fanout", "package fanout")}, place: "fanout/fanout.rego:3:1: ", says: []string{"package fanout has violations and no decision"}},
		{row: 23, what: "entrypoint that is renamed", edit: []edit{swap("fanout/fanout.rego", "decision := {", "decided := {"), swap("fanout/fanout.rego", entry, "decided := guard.decision({\n\t\"name\": \"fanout\"")}, place: ": gate ", says: []string{"gate fanout has no decision"}},
		{row: 23, what: "entrypoint that is a function", edit: []edit{swap("fanout/fanout.rego", "default decision := {", "default decision(_) := {"), swap("fanout/fanout.rego", entry, "decision(_) := guard.decision({\n\t\"name\": \"fanout\"")}, place: ": gate ", says: []string{"gate fanout has no decision"}},

		{row: 24, what: "entrypoint without a default", edit: []edit{swap("fanout/fanout.rego", "default decision := {", "unused := {")}, place: "fanout/fanout.rego:", says: []string{"the decision of gate fanout can be undefined", "give it a default that rejects"}},
		{row: 24, what: "default that admits", edit: []edit{swap("fanout/fanout.rego", "\"admit\": false,\n\t\"reason\": \"policy_undefined\"", "\"admit\": true,\n\t\"reason\": \"admit\"")}, place: "fanout/fanout.rego:", says: []string{"the default decision of gate fanout is not a reject with policy_undefined"}},
		{row: 24, what: "entrypoint of the wrong type", edit: []edit{swap("fanout/fanout.rego", "default decision := {", "default decision := true\n\nunused := {")}, place: "fanout/fanout.rego:", says: []string{"the default decision of gate fanout is not a reject"}},
		{row: 24, what: "entrypoint twice", edit: []edit{rego("fanout", "decision := guard.decision({\"name\": \"fanout\", \"violated\": [], \"violations\": [], \"unknown\": [], \"admit\": admitted}) if input.class == \"vip\"")}, place: "site.rego:5:1: ", says: []string{"the decision of gate fanout has conditions", "the decision of gate fanout is written twice, and two can conflict"}},
		{row: 24, what: "entrypoint with a back door", edit: []edit{swap("fanout/fanout.rego", entry, "decision := {\"gate\": \"fanout\", \"admit\": true, \"reason\": \"admit\", \"action\": \"go\", \"violations\": [], \"effects\": [], \"unknown\": []} if input.class == \"vip\"\n\nelse := guard.decision({\n\t\"name\": \"fanout\"")}, place: "fanout/fanout.rego:", says: []string{"the decision of gate fanout has conditions, which pass its violations by"}},
		{row: 24, what: "entrypoint that is a set", edit: []edit{swap("fanout/fanout.rego", "default decision := {", "unused := {"), swap("fanout/fanout.rego", entry, "decision contains guard.decision({\n\t\"name\": \"fanout\"")}, place: "fanout/fanout.rego:", says: []string{"the decision of gate fanout is no plain value"}},
		{row: 24, what: "gate that admits an empty document", edit: []edit{swap("fanout/document.rego", "valid if {\n\t_ = input.class", "valid if {\n\ttrue")}, place: ": gate ", says: []string{"gate fanout does not reject an empty document as invalid_input"}},
	}
	for i := range rows {
		if rows[i].kind == nil {
			rows[i].kind = engine.ErrEntrypoint
		}
	}
	return rows
}

// answerRows are gates that load, and that a document makes stumble: never an admit, and the others go on.
func answerRows() []badInput {
	const slow = `{"gate":"fanout","class":"[","queue_age_ms":0,"deadline_slack_ms":90000,"tokens_in_window":0,"successes_in_window":1,"tool_depth":0,"retries_in_window":0}`
	const retry = `{"gate":"fence.retry","attempt_id":"A1","created_on":"free-eval","charge":{"name":"gpu-a","retry_budget":1}}`
	same := fmt.Sprintf(`{"gate":"fence.retry","attempt_id":"A1","created_on":"gpu-a","charge":{"name":"gpu-a","retry_budget":%d}}`, 1)
	effects := func(text string) []edit {
		return []edit{swap("fence/retry/retry.rego", `[{"plane": input.charge.name, "counter": "retry_budget", "delta": -1}]`, text)}
	}
	rows := []badInput{
		{row: 24, what: "decision that needs a rule without a value", answers: same, edit: []edit{swap("fence/retry/retry.rego", "\"delta\": -1}],\n}", "\"delta\": -1}],\n} if {\n\tinput.attempt_id == \"A2\"\n}")}, says: []string{"policy undefined: a rule that every decision needs has no value"}, kind: engine.ErrUndefined, reason: engine.ReasonUndefined},
		{row: 24, what: "two values of one rule", answers: slow, edit: []edit{rego("fanout", "limit[\"tool_depth_over_limit\"] := 7 if input.class == \"[\"")}, says: []string{"policy conflict", "site.rego:5"}, kind: engine.ErrConflict, reason: engine.ReasonConflict},
		{row: 28, what: "division by zero in a guard", answers: `{"gate":"compaction","slack_ms":9000,"queue_age_ms":1200,"est_gen_ms":1500,"transcript_chars":800,"retry_count":0,"token_ceiling":5000,"transcript_version":9,"latest_version":9}`,
			edit: []edit{swap("guard/guard.rego", "ceil(a / 4)", "ceil(a / 0)")}, says: []string{"policy error", "divide by zero", "guard/guard.rego:"}, kind: engine.ErrEvaluation, reason: engine.ReasonError},
		{row: 28, what: "pattern that does not compile", answers: slow, edit: []edit{rego("fanout", row("odd_class", head+"class_is_odd\n\nclass_is_odd if regex.match(input.class, \"a\")"))}, says: []string{"policy error", "regex.match", "site.rego:13"}, kind: engine.ErrEvaluation, reason: engine.ReasonError},
		{row: 29, what: "work without an end", answers: slow, edit: []edit{rego("fanout", row("slow", head+"quick\n\n"+exponential))}, says: []string{"policy timeout: no decision within 1s"}, kind: engine.ErrTimeout, reason: engine.ReasonTimeout},
		{row: 32, what: "retry that another plane would pay", answers: retry, edit: []edit{swap("fence/retry/retry.rego", "creator_pays if guard.alike(creator, payer)", "creator_pays if guard.alike(creator, creator)")}, says: []string{`it admits a retry that "free-eval" created and "gpu-a" would pay for`}, kind: engine.ErrEvaluation, reason: engine.ReasonError},
	}
	for _, wrong := range []struct{ what, effects string }{
		{"no effect", "[]"},
		{"effect twice", `[{"plane": input.charge.name, "counter": "retry_budget", "delta": -1}, {"plane": input.charge.name, "counter": "retry_budget", "delta": -1}]`},
		{"effect on another plane", `[{"plane": "free-eval", "counter": "retry_budget", "delta": -1}]`},
		{"effect on another counter", `[{"plane": input.charge.name, "counter": "depth", "delta": -1}]`},
		{"effect of another size", `[{"plane": input.charge.name, "counter": "retry_budget", "delta": -2}]`},
		{"effect of another sign", `[{"plane": input.charge.name, "counter": "retry_budget", "delta": 1}]`},
		{"effect that is no list", `{}`},
		{"effect that is a fraction", `[{"plane": input.charge.name, "counter": "retry_budget", "delta": -1.5}]`},
	} {
		rows = append(rows, badInput{row: 32, what: wrong.what, answers: same, edit: effects(wrong.effects), says: []string{"policy error"}, kind: engine.ErrEvaluation, reason: engine.ReasonError})
	}
	return rows
}

// exponential is a check that takes longer than anybody waits, once the class is "[".
const exponential = `quick if not odd

odd if input.class == "["

quick if count({[a, b, c, d, e, f, g, h] | some a in digits; some b in digits; some c in digits; some d in digits; some e in digits; some f in digits; some g in digits; some h in digits}) == 1

digits := [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]`
