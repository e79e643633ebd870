package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// bar is a line on a terminal that says how much of some files is read.
type bar struct {
	to    io.Writer
	now   func() time.Time
	total int64 // bytes; 0 where nobody knows

	begun time.Time
	next  time.Time // when the bar may be drawn again
	drawn bool
}

const (
	barWidth = 30
	barEvery = 100 * time.Millisecond
)

// show draws the bar, unless it was drawn just now.
func (b *bar) show(bytes int64, records int) {
	now := b.now()
	if b.begun.IsZero() {
		b.begun = now
	}
	if now.Before(b.next) {
		return
	}
	b.next, b.drawn = now.Add(barEvery), true
	_, _ = fmt.Fprintf(b.to, "\r\x1b[K%s", b.line(bytes, records, now.Sub(b.begun)))
}

// bar is the line that is drawn.
func (b *bar) line(bytes int64, records int, since time.Duration) string {
	rate := ""
	if seconds := since.Seconds(); seconds >= 1 {
		rate = fmt.Sprintf(", %.0f a second", float64(records)/seconds)
	}
	if b.total <= 0 {
		return fmt.Sprintf("%d records, %d MiB%s", records, bytes>>20, rate)
	}
	part := min(float64(bytes)/float64(b.total), 1)
	full := int(part * barWidth)
	return fmt.Sprintf("[%s%s] %3.0f%%  %d records%s", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), 100*part, records, rate)
}

// clear takes the bar away.
func (b *bar) clear() {
	if b.drawn {
		_, _ = fmt.Fprint(b.to, "\r\x1b[K")
	}
}
