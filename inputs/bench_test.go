package inputs_test

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

// ordinary has for each gate a document as services send them, in the order of the documentation.
func ordinary() map[string]string {
	return map[string]string{
		"fence":           `{"gate":"fence","intent_id":"I-20418","revision":"R3","borrow":true,"primary":{"name":"gpu-a","depth":0,"retry_budget":3,"health_age_ms":120},"borrowed":{"name":"free-eval","depth":4,"retry_budget":0,"health_age_ms":450}}`,
		"fence.retry":     `{"gate":"fence.retry","attempt_id":"A-20418-1","created_on":"free-eval","charge":{"name":"free-eval","retry_budget":1}}`,
		"fence.bind":      `{"gate":"fence.bind","attempt_id":"A-20418-1","score_revision":"R3","current_revision":"R4","attempt_state":"accepted"}`,
		"compaction":      `{"gate":"compaction","slack_ms":9000,"queue_age_ms":1200,"est_gen_ms":1500,"est_tokens":800,"retry_count":0,"token_ceiling":5000,"transcript_version":9,"latest_version":9}`,
		"fanout":          `{"gate":"fanout","class":"tool_fanout","queue_age_ms":4701,"deadline_slack_ms":90000,"tokens_in_window":24110,"successes_in_window":9,"tool_depth":1,"retries_in_window":2,"meter_age_ms":800}`,
		"copy.fence":      `{"gate":"copy.fence","intent_id":"I-20418","revision":"R3","borrow":true,"primary":{"name":"gpu-a","depth":0,"retry_budget":3,"health_age_ms":120},"borrowed":{"name":"free-eval","depth":4,"retry_budget":0,"health_age_ms":450}}`,
		"copy.compaction": `{"gate":"copy.compaction","slack_ms":9000,"queue_age_ms":1200,"est_gen_ms":1500,"est_tokens":800,"retry_count":0,"token_ceiling":5000,"transcript_version":9,"latest_version":9}`,
	}
}

func BenchmarkDecode(b *testing.B) {
	source := inputs.Source{File: "lines.ndjson", Line: 1, Schemas: copies(b)}
	for gate, text := range ordinary() {
		b.Run(gate, func(b *testing.B) {
			line := []byte(text)
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := inputs.Decode(line, source); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLines is what reading the same lines costs, without a look at what stands on them.
func BenchmarkLines(b *testing.B) {
	for gate, text := range ordinary() {
		b.Run(gate, func(b *testing.B) {
			const many = 1000
			lines := []byte(strings.Repeat(text+"\n", many))
			b.SetBytes(int64(len(text) + 1))
			b.ReportAllocs()
			scanner, left := bufio.NewScanner(bytes.NewReader(lines)), many
			for b.Loop() {
				if left == 0 {
					scanner, left = bufio.NewScanner(bytes.NewReader(lines)), many
				}
				left--
				if !scanner.Scan() {
					b.Fatal(scanner.Err())
				}
			}
		})
	}
}

func BenchmarkValidate(b *testing.B) {
	schemas := copies(b)
	for gate, text := range ordinary() {
		document, err := inputs.Decode([]byte(text), inputs.Source{Schemas: schemas})
		require.NoError(b, err)
		b.Run(gate, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := document.Validate(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
