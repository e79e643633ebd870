package native

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/admitctl/admitctl/inputs"
)

func TestIdentifierIsWhatTheDecoderTakes(t *testing.T) {
	for _, alphabet := range []*rapid.Generator[rune]{rapid.Rune(), rapid.RuneFrom([]rune(" a~\x00\x1f\x7f\u0080\u00a0é"))} {
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.StringOf(alphabet).Draw(t, "text")
			require.Equal(t, inputs.ValidName(text), identifier(text), "%q", text)
		})
	}
}

func TestPrintableLooksAtEveryByte(t *testing.T) {
	for position := range 8 {
		for b := range 256 {
			eight := []byte("abcdefgh")
			eight[position] = byte(b)
			require.Equal(t, b >= ' ' && b <= '~', printable(string(eight)), "%q", eight)
		}
	}
}
