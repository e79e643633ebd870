package contender

import (
	"fmt"
	"strings"

	"github.com/cedar-policy/cedar-go"

	"github.com/admitctl/admitctl/inputs"
)

// cedarBare is cedar-go with bare checks: a forbid policy a check, with limits in it; requests and entities are built
// beforehand.
func cedarBare(gate string, documents []inputs.Document) (Contender, error) {
	name := "bare/" + gate + ".cedar"
	text, err := bare.ReadFile(name)
	if err != nil {
		return Contender{}, err
	}
	list, err := cedar.NewPolicyListFromBytes(name, text)
	if err != nil {
		return Contender{}, err
	}
	set := cedar.NewPolicySet()
	var order []cedar.PolicyID
	for _, policy := range list {
		id := cedar.PolicyID(policy.Annotations()["id"])
		order = append(order, id)
		set.Add(id, policy)
	}
	requests := make([]cedar.Request, len(documents))
	for i, document := range documents {
		requests[i] = cedar.Request{
			Principal: cedar.NewEntityUID("Service", "worker"), Action: cedar.NewEntityUID("Action", "admit"),
			Resource: cedar.NewEntityUID("Gate", cedar.String(gate)), Context: record(document),
		}
	}
	entities := cedar.EntityMap{}
	judge := func(i int) (bool, string, error) {
		decision, diagnostic := cedar.Authorize(set, entities, requests[i])
		if len(diagnostic.Errors) > 0 {
			return false, "", fmt.Errorf("%v", diagnostic.Errors)
		}
		return bool(decision), first(order, diagnostic.Reasons), nil
	}
	pass := func() int {
		admits := 0
		for i := range requests {
			if decision, _ := cedar.Authorize(set, entities, requests[i]); decision == cedar.Allow {
				admits++
			}
		}
		return admits
	}
	return Contender{Name: Cedar, Judge: judge, Pass: pass}, nil
}

// first is the reason that stands first in the file: Cedar has no order of its own.
func first(order []cedar.PolicyID, reasons []cedar.DiagnosticReason) string {
	for _, id := range order {
		for _, reason := range reasons {
			if reason.PolicyID == id {
				return string(id)
			}
		}
	}
	return ""
}

// record is a document as the context of a request.
func record(document inputs.Document) cedar.Record {
	fields, nested := cedar.RecordMap{}, map[string]cedar.RecordMap{}
	for name, value := range document.Fields() {
		into := fields
		if object, rest, ok := strings.Cut(name, "."); ok {
			if nested[object] == nil {
				nested[object] = cedar.RecordMap{}
			}
			into, name = nested[object], rest
		}
		switch value.Kind {
		case inputs.KindNumber:
			into[cedar.String(name)] = cedar.Long(value.Number)
		case inputs.KindFlag:
			into[cedar.String(name)] = cedar.Boolean(value.Flag)
		case inputs.KindText:
			into[cedar.String(name)] = cedar.String(value.Text)
		}
	}
	for object, inner := range nested {
		fields[cedar.String(object)] = cedar.NewRecord(inner)
	}
	return cedar.NewRecord(fields)
}
