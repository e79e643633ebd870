package tabulate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/admitctl/admitctl/table"
)

// exact is as far as the numbers of documents reach, and those of thresholds mostly.
const exact = 1 << 53

func isExact(number int64) bool { return number >= -exact && number <= exact }

// maxWords is how many different words the rows of a map may have in one place.
const maxWords = 32

// lookup is a row that a string of the document chooses.
type lookup struct {
	path     []string // of the map
	property int      // the string
	bits     []table.Bit
}

// fact is what a program takes for granted of the thresholds beside their numbers.
type fact struct {
	path  []string // of the value, or of the map of rows
	below []string // of a column of the rows
	rows  bool
	want  string
}

// of is what thresholds say where the fact looks.
func (f fact) of(data any) string {
	value := table.At(data, f.path)
	if !f.rows {
		return described(value)
	}
	kind, words := columnOf(value, f.below)
	return fmt.Sprintf("%s %q", kind, words)
}

// described is a value as a fact holds it: numbers and maps by their kind alone.
func described(value any) string {
	switch value := value.(type) {
	case nil:
		return "absent"
	case int64:
		if !isExact(value) {
			return "number beyond 2^53"
		}
		return "number"
	case map[string]any:
		return "map"
	case []any:
		text, err := json.Marshal(value)
		if err != nil {
			return "list"
		}
		return string(text)
	}
	return fmt.Sprintf("%T %v", value, value)
}

func (t *tabulation) take(f fact) {
	f.want = f.of(t.data)
	if !slices.ContainsFunc(t.facts, func(other fact) bool {
		return other.rows == f.rows && slices.Equal(other.path, f.path) && slices.Equal(other.below, f.below)
	}) {
		t.facts = append(t.facts, f)
	}
}

// inData looks a threshold up.
func (t *tabulation) inData(d data, name string) choices {
	path := append(slices.Clone(d.path), name)
	t.take(fact{path: path})
	if value := t.standing(path); value != nil {
		return only(value)
	}
	return nil
}

// standing is the threshold at a path, nil where there is none.
func (t *tabulation) standing(path []string) value {
	switch found := table.At(t.data, path).(type) {
	case map[string]any:
		return data{path}
	case int64:
		return t.threshold(path)
	case bool:
		return boolean(found)
	case string:
		return text(found)
	case []any:
		members := choices{}
		for _, item := range found {
			members = append(members, choice{always, t.scalar(item)})
		}
		return list{members: members}
	}
	return nil
}

func (t *tabulation) scalar(item any) value {
	switch item := item.(type) {
	case string:
		return text(item)
	case bool:
		return boolean(item)
	case int64:
		return t.literal(item)
	}
	panic(t.unsupported("a list of lists or maps in the thresholds", "keep lists to words and numbers"))
}

// chosen looks up the row of a map that a string of the document names.
func (t *tabulation) chosen(d data, key field) choices {
	at := slices.IndexFunc(t.lookups, func(l *lookup) bool { return slices.Equal(l.path, d.path) && l.property == key.property })
	if at < 0 {
		if at = len(t.lookups); at == table.MaxLookups {
			panic(t.unsupported("more rows than a table can look up", "choose rows by fewer fields"))
		}
		t.lookups = append(t.lookups, &lookup{path: d.path, property: key.property})
	}
	return t.inRow(row{lookup: at})
}

// below looks a part of a row up.
func (t *tabulation) below(r row, name string) choices {
	return t.inRow(row{r.lookup, append(slices.Clone(r.path), name)})
}

// inRow is what stands at a place of a row. It must be of one kind in all rows.
func (t *tabulation) inRow(r row) choices {
	l := t.lookups[r.lookup]
	t.take(fact{path: l.path, below: r.path, rows: true})
	kind, words := columnOf(table.At(t.data, l.path), r.path)
	f := t.formulas
	there := func() formula { return t.rowBit(r, table.IsThere, "") }
	switch kind {
	case "":
		return nil
	case "map":
		return compact(choice{there(), r})
	case "number":
		column := t.column(r)
		return compact(choice{there(), number{t.expression(expression{term: table.Cell, a: column, low: -exact, high: exact})}})
	case "flag":
		yes := t.rowBit(r, table.IsTrue, "")
		return compact(choice{yes, boolean(true)}, choice{f.butNot(there(), yes), boolean(false)})
	case "list":
		own := list{unordered: true}
		for _, word := range words {
			own.members = append(own.members, choice{t.rowBit(r, table.Holds, word), text(word)})
		}
		return compact(choice{there(), own})
	case "word":
		var all choices
		for _, word := range words {
			all = append(all, choice{t.rowBit(r, table.IsWord, word), text(word)})
		}
		for i := range all { // two words are never one row's
			for _, earlier := range all[:i] {
				all[i].when = f.butNot(all[i].when, earlier.when)
			}
		}
		return all
	}
	panic(t.unsupported(strings.Join(append(slices.Clone(l.path), r.path...), ".")+" is of "+kind+" in its rows", "give every row the same kind of value"))
}

// columnOf says of what kind a place of all rows is, "" where no row has it, and what words stand there.
func columnOf(rows any, path []string) (kind string, words []string) {
	all, _ := rows.(map[string]any)
	kinds, seen := map[string]bool{}, map[string]bool{}
	for _, own := range all {
		switch value := table.At(own, path).(type) {
		case nil:
		case map[string]any:
			kinds["map"] = true
		case int64:
			kinds[described(value)] = true
		case bool:
			kinds["flag"] = true
		case string:
			kinds["word"], seen[value] = true, true
		case []any:
			kinds["list"] = true
			for _, item := range value {
				word, ok := item.(string)
				if !ok {
					kinds["lists of more than words"] = true
				}
				seen[word] = true
			}
		}
	}
	for word := range seen {
		words = append(words, word)
	}
	slices.Sort(words)
	switch {
	case len(words) > maxWords:
		return "too many different words", nil
	case len(kinds) > 1:
		return "more than one kind", nil
	}
	for kind := range kinds {
		return kind, words
	}
	return "", nil
}

// rowBit asks something of a row.
func (t *tabulation) rowBit(r row, is table.Question, word string) formula {
	l := t.lookups[r.lookup]
	at := slices.IndexFunc(l.bits, func(b table.Bit) bool { return b.Is == is && b.Word == word && slices.Equal(b.Path, r.path) })
	if at < 0 {
		if at = len(l.bits); at == 64 {
			panic(t.unsupported("more than 64 questions about a row", "ask fewer"))
		}
		l.bits = append(l.bits, table.Bit{Path: r.path, Is: is, Word: word})
	}
	says := map[table.Question]string{table.IsThere: " is there", table.IsTrue: " is true", table.IsWord: " is " + word, table.Holds: " holds " + word}[is]
	return t.bit(table.WordRows+r.lookup, at, t.rowName(r)+says)
}

func (t *tabulation) rowName(r row) string {
	l := t.lookups[r.lookup]
	name := strings.Join(l.path, ".") + "[" + t.places[l.property].Name + "]"
	for _, key := range r.path {
		name += "." + key
	}
	return name
}

// column finds or makes the column of a number, counted over all lookups.
func (t *tabulation) column(r row) int {
	for i, known := range t.columns {
		if known.lookup == r.lookup && slices.Equal(known.path, r.path) {
			return i
		}
	}
	if len(t.columns) == table.MaxColumns {
		panic(t.unsupported("more numbers of rows than a table holds", "compare with fewer"))
	}
	t.columns = append(t.columns, r)
	return len(t.columns) - 1
}

func (t *tabulation) columnName(at int) string { return t.rowName(t.columns[at]) }
