package inputs

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A flat document must say of every field what Fields says, wherever the code above puts it.
func TestFlattenPutsEveryFieldWhereItsPlaceSays(t *testing.T) {
	for gate, shape := range map[string]func(*testing.T, []Place){
		"fence":       flattened(fenceShape),
		"fence.retry": flattened(retryShape),
		"fence.bind":  flattened(bindShape),
		"compaction":  flattened(compactionShape),
		"fanout":      flattened(fanoutShape),
	} {
		t.Run(gate, func(t *testing.T) {
			places, ok := Places(Properties(gate))
			require.True(t, ok)
			shape(t, places)
		})
	}
	t.Run("an added gate", func(t *testing.T) {
		schema, err := NewSchema("added", Properties("fence"))
		require.NoError(t, err)
		places, ok := Places(schema.Properties())
		require.True(t, ok)
		flattened(schema.shape)(t, places)
	})
}

// flattened sets one field after the other, to each of its states, and looks for it and for nothing else.
func flattened[D any](shape *record[D]) func(*testing.T, []Place) {
	return func(t *testing.T, places []Place) {
		values := map[Kind][]Value{
			KindNumber: {{}, {Kind: KindNumber, Number: 41}, {Kind: KindNumber, Number: -7}},
			KindFlag:   {{}, {Kind: KindFlag, Flag: true}, {Kind: KindFlag}},
			KindText:   {{}, {Kind: KindText, Text: "one"}, {Kind: KindText, Text: "other"}},
		}
		fresh := func() *D {
			d := new(D)
			if shape.begin != nil {
				shape.begin(d)
			}
			return d
		}
		var empty Flat
		require.True(t, Flatten(shape.document(fresh()), &empty))
		for i, own := range shape.fields {
			for _, value := range values[own.want.kind] {
				if value.Kind == KindNull && !own.signal {
					continue
				}
				d := fresh()
				if at := slices.IndexFunc(shape.fields, func(other field[D]) bool {
					return other.object != nil && len(own.name) > len(other.name) && own.name[:len(other.name)+1] == other.name+"."
				}); at >= 0 {
					shape.fields[at].object(d, true)
				}
				own.at(d, true).set(value)
				var flat Flat
				require.True(t, Flatten(shape.document(d), &flat))
				if restored := shape.restore(&flat); restored.Validate() == nil || shape.document(d).Validate() == nil {
					require.Equal(t, shape.document(d), restored, own.name)
				}
				bit, slot := uint64(1)<<i, places[i].Slot
				require.NotZero(t, flat.Given&bit, own.name)
				require.Equal(t, value.Kind != KindNull, flat.Known&bit != 0, own.name)
				require.Equal(t, value.Flag, flat.True&bit != 0, own.name)
				switch own.want.kind {
				case KindNumber:
					require.Equal(t, value.Number, flat.Numbers[slot], own.name)
					flat.Numbers[slot] = 0
				case KindText:
					require.Equal(t, value.Text, flat.Texts[slot], own.name)
					flat.Texts[slot] = ""
				}
				flat.Given, flat.Known, flat.True = flat.Given&^bit, flat.Known&^bit, flat.True&^bit
				for object, other := range shape.fields {
					if other.object != nil {
						flat.Given &^= 1 << object
						empty.Given &^= 1 << object
					}
				}
				require.Equal(t, empty, flat, own.name)
			}
		}
		for i, field := range shape.fields {
			if field.object == nil {
				continue
			}
			d := fresh()
			field.object(d, true)
			var flat Flat
			require.True(t, Flatten(shape.document(d), &flat))
			require.NotZero(t, flat.Given&(1<<i), field.name)
		}
	}
}

func TestFlattenTakesNoDocumentOfNoGate(t *testing.T) {
	for _, document := range []Document{nil, (*Fence)(nil), (*Retry)(nil), (*Bind)(nil), (*Compaction)(nil), (*Fanout)(nil), (*Custom)(nil), &Custom{}} {
		require.False(t, Flatten(document, new(Flat)))
	}
}

func TestPlacesRefusesWhatDoesNotFit(t *testing.T) {
	many := func(kind Kind, count int) []Property {
		return slices.Repeat([]Property{{Name: "x", Kind: kind}}, count)
	}
	for _, properties := range [][]Property{many(KindNumber, MaxFlatNumbers+1), many(KindText, MaxFlatTexts+1), many(KindFlag, MaxFlatFields+1)} {
		_, ok := Places(properties)
		require.False(t, ok)
		_, ok = Places(properties[1:])
		require.True(t, ok)
	}
}
