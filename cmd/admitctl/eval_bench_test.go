package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/admitctl/admitctl/inputs"
)

// BenchmarkLines times what a line costs beside its decision, which takes no time here: reading, cutting, rendering,
// printing. scanner is what the standard library takes to cut the same lines, decoding is reason with real decoding.
func BenchmarkLines(b *testing.B) {
	const count = 20_000
	text := []byte(strings.Repeat(good+"\n"+fence+"\n", count/2))
	report := func(b *testing.B) {
		b.ReportAllocs()
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count), "ns/line")
	}
	b.Run("scanner", func(b *testing.B) {
		for b.Loop() {
			lines := bufio.NewScanner(bytes.NewReader(text))
			size := 0
			for lines.Scan() {
				size += len(lines.Bytes())
			}
			if size != len(text)-count {
				b.Fatal(size)
			}
		}
		report(b)
	})
	decide := func(b *testing.B, e *evaluation, cores int) {
		for b.Loop() {
			total, err := e.run(b.Context(), cores, stdio{err: io.Discard}, io.Discard, func(p *pipeline) error {
				return (&documents{ndjson: true, in: interruptible{p.ctx, bytes.NewReader(text)}, to: p}).read(p.ctx, []string{"-"})
			})
			if err != nil || total.admits+total.rejects != count {
				b.Fatal(total, err)
			}
		}
		report(b)
	}
	for _, cores := range []int{1, 2} {
		for _, format := range formats() {
			b.Run(fmt.Sprintf("%s/cores=%d", format, cores), func(b *testing.B) { decide(b, readily(format), cores) })
		}
		counted, decoding := readily("reason"), readily("reason")
		counted.counted = true
		decoding.decode = inputs.Decode
		b.Run(fmt.Sprintf("summary/cores=%d", cores), func(b *testing.B) { decide(b, counted, cores) })
		b.Run(fmt.Sprintf("decoding/cores=%d", cores), func(b *testing.B) { decide(b, decoding, cores) })
	}
}
