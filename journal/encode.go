package journal

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/table"
)

// Entry is a decision that is to be logged.
type Entry struct {
	Document inputs.Document // what was decided; nil where it could not be read, and the record has no input
	Decision *table.Decision
	Metrics  map[string]int64 // such as "timer_rego_query_eval_ns"; may be nil
}

// Allowlist says what a log may hold beside what decides. The caller's own document is never changed: what is masked is
// masked in the record, which tells it.
type Allowlist struct {
	// Fields are the dotted names of texts in documents that may be logged although no rule reads them: "intent_id".
	Fields []string
	// Labels may be logged beside "id" and "version".
	Labels []string
	// Decides reports whether a rule of a gate reads a text, so that it stays: without it the record could not be decided
	// again. Nil keeps every text that is not one of an identifier's alone, see [Identifiers].
	Decides func(gate, field string) bool
}

// Identifiers are the texts of the core gates' documents that name a piece of work, and that no shipped rule reads.
func Identifiers() []string { return []string{"attempt_id", "intent_id"} }

// masks reports whether a text of a document must be masked. Numbers, flags and words of a list never are.
func (a *Allowlist) masks(gate, field string) bool {
	switch {
	case slices.Contains(a.Fields, field):
		return false
	case a.Decides != nil:
		return !a.Decides(gate, field)
	}
	return slices.Contains(Identifiers(), field)
}

// encoder makes records.
type encoder struct {
	clock  func() time.Time
	id     func(dst []byte) []byte
	labels []byte   // an object
	erased []string // that every record tells: of labels
	allow  *Allowlist
}

func newEncoder(o *Options, id func([]byte) []byte) *encoder {
	e := &encoder{clock: o.Clock, id: id, allow: o.Allow}
	allowed := []string{"id", "version"}
	if o.Allow != nil {
		allowed = append(allowed, o.Allow.Labels...)
	}
	e.labels = append(e.labels, '{')
	for _, name := range slices.Sorted(maps.Keys(o.Labels)) {
		if o.Allow != nil && !slices.Contains(allowed, name) {
			e.erased = append(e.erased, "/labels/"+escaped(name))
			continue
		}
		if len(e.labels) > 1 {
			e.labels = append(e.labels, ',')
		}
		e.labels = inputs.AppendString(append(inputs.AppendString(e.labels, name), ':'), o.Labels[name])
	}
	e.labels = append(e.labels, '}')
	return e
}

// append appends one record and its newline.
func (e *encoder) append(dst []byte, entry Entry) []byte {
	d := entry.Decision
	dst = append(e.id(append(dst, `{"decision_id":"`...)), `","timestamp":"`...)
	dst = e.clock().UTC().AppendFormat(dst, time.RFC3339Nano)
	dst = inputs.AppendString(append(dst, `","path":`...), pathOf(d.Gate))
	dst = inputs.AppendString(append(dst, `,"revision":`...), d.Policy.Revision)
	dst = inputs.AppendString(append(dst, `,"bundles":{"`+Bundle+`":{"revision":`...), d.Policy.Revision)
	dst = append(append(dst, `}},"labels":`...), e.labels...)
	dst = append(dst, `,"input":`...)
	var masked []string
	if entry.Document == nil {
		dst = append(dst, "null"...)
	} else {
		masked = e.masked(entry.Document)
		dst = inputs.AppendDocument(dst, entry.Document, func(field string) bool { return slices.Contains(masked, field) })
	}
	if e.allow != nil && d.Error != "" { // which can quote the document
		own := *d
		own.Error = inputs.Masked
		d = &own
	}
	dst = d.AppendJSON(append(dst, `,"result":`...))
	if len(entry.Metrics) > 0 {
		dst = appendMetrics(append(dst, `,"metrics":`...), entry.Metrics)
	}
	if len(e.erased) > 0 {
		dst = appendPointers(append(dst, `,"erased":`...), e.erased)
	}
	for i := range masked {
		masked[i] = "/input/" + strings.ReplaceAll(masked[i], ".", "/")
	}
	if e.allow != nil && d.Error != "" {
		masked = append(masked, "/result/error")
	}
	if len(masked) > 0 {
		dst = appendPointers(append(dst, `,"masked":`...), masked)
	}
	return append(dst, '}', '\n')
}

// masked are the fields of a document that must be masked.
func (e *encoder) masked(document inputs.Document) []string {
	if e.allow == nil {
		return nil
	}
	var masked []string
	gate := document.Gate()
	for name, value := range document.Fields() {
		if value.Kind == inputs.KindText && e.allow.masks(gate, name) {
			masked = append(masked, name)
		}
	}
	return masked
}

func appendMetrics(dst []byte, metrics map[string]int64) []byte {
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(metrics)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(append(inputs.AppendString(dst, name), ':'), metrics[name], 10)
	}
	return append(dst, '}')
}

func appendPointers(dst []byte, pointers []string) []byte {
	dst = append(dst, '[')
	for i, pointer := range pointers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = inputs.AppendString(dst, pointer)
	}
	return append(dst, ']')
}

// escaped is a name as a JSON pointer has it.
func escaped(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
