// Package report puts figures beside their targets, in one table.
package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/admitctl/admitctl/bench/timing"
)

// Unit is what a figure counts.
type Unit string

// The units of figures.
const (
	Nanoseconds Unit = "ns"
	Kilobytes   Unit = "kB"
	Allocations Unit = "allocations"
)

// Row is a line of the table: a figure beside another one, and how the two should stand to each other.
type Row struct {
	Section string
	What    string // that is measured
	Beside  string // what it is held against; "" where the figure itself counts
	Unit    Unit
	Figure  timing.Sample
	Against timing.Sample
	Faster  bool // the ratio is that of what is beside the figure to the figure
	Target  Target
	Note    string // what a reader must know besides
	Why     string // it may miss its target
}

// Target is where a row should lie. The zero Target is none.
type Target struct {
	Most  float64 // the ratio is at most so much, or the figure where there is nothing beside it
	Least float64 // the ratio is at least so much
}

// AtMost is a target from above, of 0 too.
func AtMost(limit float64) Target { return Target{Most: max(limit, exactly)} }

// AtLeast is a target from below.
func AtLeast(limit float64) Target { return Target{Least: limit} }

// exactly stands for 0, which in a Target is none: runtimes allocate now and then in the background.
const exactly = 0.01

// Judged is what counts against the target.
func (r Row) Judged() timing.Sample {
	switch {
	case len(r.Against) == 0:
		return r.Figure
	case r.Faster:
		return r.Against.Over(r.Figure)
	}
	return r.Figure.Over(r.Against)
}

// Missed reports whether the median misses the target, and by what factor.
func (r Row) Missed() (factor float64, missed bool) {
	middle, _, _ := r.Judged().Median()
	switch {
	case r.Target.Most > 0:
		return middle / r.Target.Most, middle > r.Target.Most
	case r.Target.Least > 0:
		return r.Target.Least / middle, middle < r.Target.Least
	}
	return 0, false
}

// Write prints a page: what is above the table, the table, and the rows that miss their target.
func Write(w io.Writer, preface string, rows []Row, notes []string) error {
	var page strings.Builder
	page.WriteString(preface)
	page.WriteString("| | what | figure | beside | ratio | lowest to highest | target | |\n|---|---|---:|---:|---:|---:|---:|---|\n")
	section := ""
	for _, row := range rows {
		name := ""
		if row.Section != section {
			section, name = row.Section, row.Section
		}
		page.WriteString("| " + name + " | " + row.what() + " | " + row.figures() + " | " + row.verdict() + " |\n")
	}
	page.WriteString("\n## Slower than it should be\n\n" + missed(rows))
	page.WriteString("\n## How it was measured\n\n")
	for _, note := range notes {
		page.WriteString("- " + note + "\n")
	}
	_, err := io.WriteString(w, page.String())
	return err
}

func (r Row) what() string {
	text := r.What
	if r.Beside != "" {
		text += " / " + r.Beside
		if r.Faster {
			text = r.Beside + " / " + r.What
		}
	}
	if r.Note != "" {
		text += " (" + r.Note + ")"
	}
	return text
}

func (r Row) figures() string {
	middle, _, _ := r.Figure.Median()
	beside := ""
	if len(r.Against) > 0 {
		against, _, _ := r.Against.Median()
		beside = r.Unit.format(against)
	}
	ratio, low, high := r.Judged().Median()
	if beside == "" {
		return strings.Join([]string{r.Unit.format(middle), "", "", r.Unit.format(low) + " to " + r.Unit.format(high), r.target()}, " | ")
	}
	return strings.Join([]string{r.Unit.format(middle), beside, digits(ratio), digits(low) + " to " + digits(high), r.target()}, " | ")
}

func (r Row) target() string {
	switch {
	case r.Target.Most == exactly:
		return "0"
	case r.Target.Most > 0:
		return "≤ " + digits(r.Target.Most)
	case r.Target.Least > 0:
		return "≥ " + digits(r.Target.Least)
	}
	return ""
}

func (r Row) verdict() string {
	if r.Target == (Target{}) {
		return ""
	}
	if _, missed := r.Missed(); missed {
		return "**slower than it should be**"
	}
	return "met"
}

func missed(rows []Row) string {
	var text strings.Builder
	for _, row := range rows {
		if factor, missed := row.Missed(); missed {
			middle, _, _ := row.Judged().Median()
			fmt.Fprintf(&text, "- %s: %s: %s, target %s", row.Section, row.what(), digits(middle), row.target())
			if row.Target.Most != exactly {
				fmt.Fprintf(&text, ", %s times off", digits(factor))
			}
			if row.Why != "" {
				text.WriteString(": " + row.Why)
			}
			text.WriteString("\n")
		}
	}
	if text.Len() == 0 {
		return "Nothing: every target is met.\n"
	}
	return text.String()
}

// format writes a figure with its unit, to three digits.
func (u Unit) format(figure float64) string {
	switch u {
	case Nanoseconds:
		for _, unit := range []string{"ns", "µs", "ms"} {
			if figure < 1000 {
				return digits(figure) + " " + unit
			}
			figure /= 1000
		}
		return digits(figure) + " s"
	case Kilobytes:
		return digits(figure/1024) + " MiB"
	}
	return digits(figure)
}

// digits writes three digits that count, and whole numbers whole.
func digits(figure float64) string {
	if figure >= 100 || figure == math.Trunc(figure) {
		return strconv.FormatFloat(figure, 'f', 0, 64)
	}
	return strconv.FormatFloat(figure, 'g', 3, 64)
}
