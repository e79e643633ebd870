package inputs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/inputs"
)

func TestAFieldIsAbsentUnknownOrKnown(t *testing.T) {
	var absent inputs.Number
	require.True(t, absent.IsAbsent())
	require.False(t, absent.IsUnknown())
	value, ok := absent.Get()
	require.Zero(t, value)
	require.False(t, ok)

	for _, unknown := range []interface {
		IsAbsent() bool
		IsUnknown() bool
	}{inputs.Unknown(), inputs.UnknownFlag(), inputs.UnknownText()} {
		require.False(t, unknown.IsAbsent())
		require.True(t, unknown.IsUnknown())
	}
	_, ok = inputs.Unknown().Get()
	require.False(t, ok)

	number, ok := inputs.Known(0).Get()
	require.True(t, ok)
	require.Zero(t, number)
	flag, ok := inputs.KnownFlag(false).Get()
	require.True(t, ok)
	require.False(t, flag)
	text, ok := inputs.KnownText("").Get()
	require.True(t, ok)
	require.Empty(t, text)
	require.False(t, inputs.Known(0).IsAbsent() || inputs.Known(0).IsUnknown())
	require.NotEqual(t, absent, inputs.Unknown())
	require.NotEqual(t, inputs.Known(0), inputs.Unknown())
}

func TestValuesAreWrittenAndRead(t *testing.T) {
	for text, value := range map[string]inputs.Value{
		"null": {}, "-5": {Kind: inputs.KindNumber, Number: -5}, "true": {Kind: inputs.KindFlag, Flag: true},
		"false": {Kind: inputs.KindFlag}, `"a\u0007b"`: {Kind: inputs.KindText, Text: "a\ab"}, `""`: {Kind: inputs.KindText},
		"9223372036854775807": {Kind: inputs.KindNumber, Number: 1<<63 - 1},
	} {
		encoded, err := json.Marshal(value)
		require.NoError(t, err)
		require.JSONEq(t, text, string(encoded))
		var back inputs.Value
		require.NoError(t, json.Unmarshal([]byte(text), &back))
		require.Equal(t, value, back)
	}
	for _, text := range []string{"1.5", "1e3", "[]", "{}", "9223372036854775808"} {
		var value inputs.Value
		require.ErrorIs(t, json.Unmarshal([]byte(text), &value), inputs.ErrWrongType, text)
	}
}

func TestNearestForgivesSlipsOfTheFinger(t *testing.T) {
	names := []string{"slack_ms", "queue_age_ms", "est_gen_ms", "est_tokens", "transcript_version", "path"}
	for name, want := range map[string]string{
		"Slack_Ms": "slack_ms", "slak_ms": "slack_ms", "slack-ms": "slack_ms", "queue_age": "", "queueAgeMs": "queue_age_ms",
		"transcript_versions": "transcript_version", "transkript_versoin": "transcript_version", "pth": "path", "paths": "path",
		"": "", "x": "", "priority": "", strings.Repeat("a", 1000): "", "QUEUE_AGE_MS": "queue_age_ms",
	} {
		require.Equal(t, want, inputs.Nearest(name, names), "%.20q", name)
	}
	require.Empty(t, inputs.Nearest("ab", []string{"a", "", "xy"}), "two slips are all of a name of two")
	require.Empty(t, inputs.Nearest("a", nil))
}

func TestValidNames(t *testing.T) {
	for _, name := range []string{"a", "A b", "v1.2", "a/b", "ü", "日本", "🙂", strings.Repeat("ü", 128), "a\u00a0b", "`'\"$"} {
		require.True(t, inputs.ValidName(name), "%q", name)
	}
	for _, name := range []string{"", " a", "a ", "a\u00a0", "\u2028a", "a\nb", "a\tb", "\x7f", "\u009b", "\u200b", "\u202e", "\ufeff", "\xff", "a\xed\xa0\x80", strings.Repeat("a", 129)} {
		require.False(t, inputs.ValidName(name), "%q", name)
	}
}

// Documents whose numbers stand at each end of their ranges are valid, and one past it they are not.
func TestRangesIncludeTheirEnds(t *testing.T) {
	for gate, texts := range documents() {
		for _, field := range inputs.Properties(gate) {
			if field.Kind != inputs.KindNumber || strings.Contains(field.Name, ".") {
				continue
			}
			for offset, valid := range map[int64]bool{-1: false, 0: true, 1: true} {
				for end, value := range map[string]int64{"low": field.Low + offset, "high": field.High - offset} {
					var document map[string]any
					require.NoError(t, json.Unmarshal([]byte(texts[0]), &document))
					document[field.Name] = value
					if field.Name == "est_tokens" {
						delete(document, "transcript_chars")
					}
					text, err := json.Marshal(document)
					require.NoError(t, err)
					_, err = inputs.Decode(text, inputs.Source{})
					require.Equal(t, valid, err == nil, "%s.%s %s %+d: %v", gate, field.Name, end, offset, err)
					if !valid {
						require.ErrorIs(t, err, inputs.ErrOutOfRange)
					}
				}
			}
		}
	}
}
