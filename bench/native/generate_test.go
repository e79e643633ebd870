package native_test

import (
	"strings"

	"pgregory.net/rapid"

	"github.com/admitctl/admitctl/inputs"
)

// The fields below are mostly right, and now and then unknown, absent or out of range where that makes a difference.

// rarely is true in one of so many draws.
func rarely(t *rapid.T, of int) bool { return rapid.IntRange(0, of-1).Draw(t, "rarely") == of-1 }

// number is one of some values, around a threshold; or unknown, absent, or out of every range.
func number(t *rapid.T, name string, around ...int64) inputs.Number {
	switch {
	case rarely(t, 12):
		return inputs.Unknown()
	case rarely(t, 60):
		return inputs.Number{}
	case rarely(t, 60):
		return inputs.Known(rapid.SampledFrom([]int64{-1, 1<<20 + 1, 1<<40 + 1, -1<<40 - 1, 1 << 53, -1 << 63, 1<<63 - 1}).Draw(t, name))
	case rarely(t, 15):
		return inputs.Known(rapid.SampledFrom([]int64{0, 1, 1 << 20, 1 << 40, -1 << 40, 1<<53 - 1}).Draw(t, name))
	}
	return inputs.Known(rapid.SampledFrom(around).Draw(t, name))
}

// sure is a number that is seldom wrong, for what must be known.
func sure(t *rapid.T, name string, around ...int64) inputs.Number {
	if rarely(t, 20) {
		return number(t, name, around...)
	}
	return inputs.Known(rapid.SampledFrom(around).Draw(t, name))
}

// optional is mostly absent.
func optional(t *rapid.T, name string, around ...int64) inputs.Number {
	if !rarely(t, 3) {
		return inputs.Number{}
	}
	return sure(t, name, around...)
}

func flag(t *rapid.T, name string) inputs.Flag {
	return rapid.SampledFrom([]inputs.Flag{inputs.KnownFlag(true), inputs.KnownFlag(false), inputs.UnknownFlag(), {}}).Draw(t, name)
}

// identifier is one of some names, and now and then one that only nearly is.
func identifier(t *rapid.T, name string, names ...string) string {
	if rarely(t, 15) {
		return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"", " ", " a", "a ", "a b", "a\tb", "~", "\x7f", "é", "a\u00a0", "\u2028a", "a\u200bb", "a\u0085", "\xff", "日本", "a b ",
			"eight by", "eight by ", " eight by", "seventeen letters", "control\x1fchar", "delete\x7fthis",
			"control\x00at the end\x00", "a space is last ", "nbsp\u00a0within it", strings.Repeat("a", 128), strings.Repeat("a", 129), strings.Repeat("é", 128), strings.Repeat("é", 129), strings.Repeat("𝄞", 128), strings.Repeat("𝄞", 129),
		})).Draw(t, name)
	}
	return rapid.SampledFrom(names).Draw(t, name)
}

func text(t *rapid.T, name string, words ...string) inputs.Text {
	switch {
	case rarely(t, 8):
		return inputs.UnknownText()
	case rarely(t, 40):
		return inputs.Text{}
	}
	return inputs.KnownText(identifier(t, name, words...))
}

func plane(t *rapid.T) inputs.Plane {
	return inputs.Plane{
		Name: identifier(t, "name", "gpu-a", "gpu-b", "free-eval"), Depth: number(t, "depth", 0, 1, 2, 3, 4, 7, 8),
		RetryBudget: number(t, "budget", 0, 1, 1, 3), HealthAgeMS: number(t, "age", 0, 1499, 1500, 1501, 1999, 2000, 2001),
		DepthLimit: optional(t, "limit", 1, 3, 4, 5, 9), HealthMaxAgeMS: optional(t, "maximum", 1500, 1999, 2000, 2001, 3000),
	}
}

func fences() *rapid.Generator[*inputs.Fence] {
	return rapid.Custom(func(t *rapid.T) *inputs.Fence {
		d := &inputs.Fence{IntentID: identifier(t, "intent", "I1"), Borrow: inputs.KnownFlag(rapid.Bool().Draw(t, "borrow")), Primary: plane(t)}
		if rarely(t, 40) {
			d.Borrow = flag(t, "borrow")
		}
		if !rarely(t, 3) {
			borrowed := plane(t)
			d.Borrowed = &borrowed
		}
		if !rarely(t, 5) {
			d.Revision = identifier(t, "revision", "R3")
		}
		return d
	})
}

func retries() *rapid.Generator[*inputs.Retry] {
	return rapid.Custom(func(t *rapid.T) *inputs.Retry {
		return &inputs.Retry{
			AttemptID: identifier(t, "attempt", "A1"), CreatedOn: identifier(t, "creator", "gpu-a", "free-eval"),
			Charge: inputs.Charge{Name: identifier(t, "payer", "gpu-a", "free-eval"), RetryBudget: number(t, "budget", 0, 1, 2)},
		}
	})
}

func binds() *rapid.Generator[*inputs.Bind] {
	return rapid.Custom(func(t *rapid.T) *inputs.Bind {
		return &inputs.Bind{
			AttemptID: identifier(t, "attempt", "A1"), ScoreRevision: identifier(t, "score", "R3", "R4"), CurrentRevision: text(t, "current", "R3", "R4"),
			AttemptState: text(t, "state", "accepted", "accepted", "accepted", "bound", "shed", "expired"),
		}
	})
}

func compactions() *rapid.Generator[*inputs.Compaction] {
	return rapid.Custom(func(t *rapid.T) *inputs.Compaction {
		d := &inputs.Compaction{
			QueueAgeMS: number(t, "age", 0, 1200, 7499, 7500, 7501), SlackMS: number(t, "slack", 9000, 9001, 8999), EstGenMS: sure(t, "generation", 0, 1500),
			RetryCount: sure(t, "retries", 0, 1, 2, 3), TokenCeiling: sure(t, "ceiling", 0, 2000, 4999, 5000, 5001, 9000),
			TranscriptVersion: sure(t, "version", 8, 9), LatestVersion: number(t, "latest", 9, 9, 9, 8), JobsThisTurn: optional(t, "jobs", 0, 1, 2),
			LastCompactedVersion: optional(t, "last", 7, 8, 9), Path: rapid.SampledFrom([]string{"", "free", "free", "paid"}).Draw(t, "path"),
			Cancelable: flag(t, "cancelable"), SameTurn: flag(t, "same turn"), ConsoleAgeMS: optional(t, "console", 0, 299999, 300000, 300001),
		}
		if rarely(t, 40) {
			d.Path = identifier(t, "path", "freeway")
		}
		if rapid.Bool().Draw(t, "both or neither is rare") || rarely(t, 20) {
			d.EstTokens = sure(t, "tokens", 800, 1666, 1667, 2500, 2501, 5000, 5001)
		}
		if d.EstTokens.IsAbsent() || rarely(t, 20) {
			d.TranscriptChars = sure(t, "chars", 1, 4, 6664, 6665, 10000, 10001, 20000, 20001)
		}
		return d
	})
}

func fanouts() *rapid.Generator[*inputs.Fanout] {
	return rapid.Custom(func(t *rapid.T) *inputs.Fanout {
		d := &inputs.Fanout{
			Class: "tool_fanout", QueueAgeMS: number(t, "age", 0, 7500, 7501, 14999, 15000, 15001), DeadlineSlackMS: number(t, "slack", 59999, 60000, 60001, 90000),
			TokensInWindow: number(t, "tokens", 0, 0, 7999, 8000, 8001, 16000, 16001), SuccessesInWindow: number(t, "successes", 0, 0, 1, 2), ToolDepth: number(t, "depth", 0, 1, 1, 2),
			RetriesInWindow: number(t, "retries", 0, 0, 1, 9, 10, 11), Siblings: optional(t, "siblings", 0, 1, 2, 3), Inflight: optional(t, "inflight", 0, 0, 1),
			MeterAgeMS: optional(t, "meter", 0, 4999, 5000, 5001), MaxDepth: optional(t, "max depth", 0, 1, 2), MaxSiblings: optional(t, "max siblings", 1, 2, 3),
		}
		switch {
		case rarely(t, 8):
			d.Class = identifier(t, "class", "interactive", "batch")
		case rarely(t, 5):
			d.ClassEnabled = flag(t, "enabled")
		}
		return d
	})
}
