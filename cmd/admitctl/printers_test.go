package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// oddStrings generates what escaping is about, and what it is not.
func oddStrings() *rapid.Generator[string] {
	parts := rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"\u2028", "\u2029", "\u2027", "\u202a", "\ufffd", "\xff", "\xe2\x80", "\xed\xa0\x80", "<", ">", "&", `"`, `\`, "/", "\x7f", "=", " ", "🙂"}),
		rapid.Map(rapid.Byte(), func(b byte) string { return string([]byte{b}) }),
	)
	return rapid.Map(rapid.SliceOfN(parts, 0, 6), func(all []string) string { return strings.Join(all, "") })
}

func TestAPairIsQuotedWhereverAReaderCouldStumble(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := oddStrings().Draw(t, "value")
		want := value
		quoted := strconv.Quote(value)
		if strings.ContainsAny(value, " =\"") || quoted[1:len(quoted)-1] != value {
			want = quoted
		}
		require.Equal(t, "before key="+want, string(appendPair([]byte("before "), "key=", value)))
	})
}
