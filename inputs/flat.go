package inputs

// The most that a [Flat] holds; documents of gates with more are decided by OPA.
const (
	// MaxFlatFields is how many properties a flat document can have, objects included.
	MaxFlatFields = 64
	// MaxFlatNumbers is how many of them can be numbers.
	MaxFlatNumbers = 20
	// MaxFlatTexts is how many of them can be strings.
	MaxFlatTexts = 10
)

// Flat is a document laid out for code that reads many of them: bit i of a mask is property i of the gate, in the order
// of [Properties], and numbers and strings stand in the order of the properties that hold them. The zero Flat has no
// field.
type Flat struct {
	Given   uint64 // the field is there; of an object, the object is
	Known   uint64 // the field is there, and not null
	True    uint64 // the field is a flag, and true
	Numbers [MaxFlatNumbers]int64
	Texts   [MaxFlatTexts]string
}

// Place is where a [Flat] holds a property.
type Place struct {
	Property
	Slot int // of Numbers or Texts; 0 for flags and objects
}

// Places lays properties out, in their order; false where they do not fit into a [Flat].
func Places(properties []Property) ([]Place, bool) {
	places := make([]Place, len(properties))
	numbers, texts := 0, 0
	for i, property := range properties {
		places[i].Property = property
		switch property.Kind {
		case KindNumber:
			places[i].Slot = numbers
			numbers++
		case KindText:
			places[i].Slot = texts
			texts++
		}
	}
	return places, len(places) <= MaxFlatFields && numbers <= MaxFlatNumbers && texts <= MaxFlatTexts
}

// Flatten lays a document out. flat must be the zero Flat. It is false for a document of no gate and for one that does
// not fit.
func Flatten(document Document, flat *Flat) bool {
	switch d := document.(type) {
	case *Fence:
		return d.flatten(flat)
	case *Retry:
		return d.flatten(flat)
	case *Bind:
		return d.flatten(flat)
	case *Compaction:
		return d.flatten(flat)
	case *Fanout:
		return d.flatten(flat)
	case *Custom:
		return d.flatten(flat)
	}
	return false
}

func (f *Flat) number(field, slot int, from Number) {
	f.Given |= uint64(from.state+1) >> 1 << field
	f.Known |= uint64(from.state) >> 1 << field
	f.Numbers[slot] = from.value
}

func (f *Flat) text(field, slot int, from Text) {
	f.Given |= uint64(from.state+1) >> 1 << field
	f.Known |= uint64(from.state) >> 1 << field
	f.Texts[slot] = from.value
}

func (f *Flat) flag(field int, from Flag) {
	f.Given |= uint64(from.state+1) >> 1 << field
	f.Known |= uint64(from.state) >> 1 << field
	if from.value {
		f.True |= 1 << field
	}
}

// name takes a plain string, which is absent when empty.
func (f *Flat) name(field, slot int, from string) {
	if from != "" {
		f.Given |= 1 << field
		f.Known |= 1 << field
	}
	f.Texts[slot] = from
}

func (f *Flat) plane(field, slot, text int, from *Plane) {
	f.Given |= 1 << field
	f.name(field+1, text, from.Name)
	f.number(field+2, slot, from.Depth)
	f.number(field+3, slot+1, from.RetryBudget)
	f.number(field+4, slot+2, from.HealthAgeMS)
	f.number(field+5, slot+3, from.DepthLimit)
	f.number(field+6, slot+4, from.HealthMaxAgeMS)
}

func (d *Fence) flatten(f *Flat) bool {
	if d == nil {
		return false
	}
	f.name(0, 0, d.IntentID)
	f.name(1, 1, d.Revision)
	f.flag(2, d.Borrow)
	f.plane(3, 0, 2, &d.Primary)
	if d.Borrowed != nil {
		f.plane(10, 5, 3, d.Borrowed)
	}
	return true
}

func (d *Retry) flatten(f *Flat) bool {
	if d == nil {
		return false
	}
	f.name(0, 0, d.AttemptID)
	f.name(1, 1, d.CreatedOn)
	f.Given |= 1 << 2
	f.name(3, 2, d.Charge.Name)
	f.number(4, 0, d.Charge.RetryBudget)
	return true
}

func (d *Bind) flatten(f *Flat) bool {
	if d == nil {
		return false
	}
	f.name(0, 0, d.AttemptID)
	f.name(1, 1, d.ScoreRevision)
	f.text(2, 2, d.CurrentRevision)
	f.text(3, 3, d.AttemptState)
	return true
}

func (d *Compaction) flatten(f *Flat) bool {
	if d == nil {
		return false
	}
	f.number(0, 0, d.QueueAgeMS)
	f.number(1, 1, d.SlackMS)
	f.number(2, 2, d.EstGenMS)
	f.number(3, 3, d.EstTokens)
	f.number(4, 4, d.TranscriptChars)
	f.number(5, 5, d.RetryCount)
	f.number(6, 6, d.TokenCeiling)
	f.number(7, 7, d.TranscriptVersion)
	f.number(8, 8, d.LatestVersion)
	f.name(9, 0, d.Path)
	f.number(10, 9, d.JobsThisTurn)
	f.number(11, 10, d.LastCompactedVersion)
	f.flag(12, d.Cancelable)
	f.flag(13, d.SameTurn)
	f.number(14, 11, d.ConsoleAgeMS)
	return true
}

func (d *Fanout) flatten(f *Flat) bool {
	if d == nil {
		return false
	}
	f.name(0, 0, d.Class)
	f.number(1, 0, d.QueueAgeMS)
	f.number(2, 1, d.DeadlineSlackMS)
	f.number(3, 2, d.TokensInWindow)
	f.number(4, 3, d.SuccessesInWindow)
	f.number(5, 4, d.ToolDepth)
	f.number(6, 5, d.RetriesInWindow)
	f.number(7, 6, d.Siblings)
	f.number(8, 7, d.Inflight)
	f.number(9, 8, d.MeterAgeMS)
	f.flag(10, d.ClassEnabled)
	f.number(11, 9, d.MaxDepth)
	f.number(12, 10, d.MaxSiblings)
	return true
}

func (d *Custom) flatten(f *Flat) bool {
	if d == nil || d.schema == nil || len(d.cells) > MaxFlatFields {
		return false
	}
	numbers, texts := 0, 0
	for i, field := range d.schema.shape.fields {
		value, bit := &d.cells[i].value, uint64(1)<<i
		if d.cells[i].there {
			f.Given |= bit
			if value.Kind != KindNull {
				f.Known |= bit
			}
			if value.Flag {
				f.True |= bit
			}
		}
		switch field.want.kind {
		case KindNumber:
			if numbers == MaxFlatNumbers {
				return false
			}
			f.Numbers[numbers] = value.Number
			numbers++
		case KindText:
			if texts == MaxFlatTexts {
				return false
			}
			f.Texts[texts] = value.Text
			texts++
		}
	}
	return true
}

// Document is the document that lies flat here, of a core gate or of one of schemas. Its error is an *[Error]: not every
// Flat is a valid document.
func (f *Flat) Document(gate string, schemas ...*Schema) (Document, error) {
	shape, ok := Source{Schemas: schemas}.shape(gate)
	if !ok {
		return nil, &Error{Path: "$.gate", Problem: shorten(gate) + " is no gate", Mend: "name one of the core or of schemas", Kind: ErrUnknownGate}
	}
	document := shape.restore(f)
	if err := document.Validate(); err != nil {
		return nil, err
	}
	return document, nil
}

// restore is the inverse of flatten.
func (r *record[D]) restore(f *Flat) Document {
	into := new(D)
	if r.begin != nil {
		r.begin(into)
	}
	numbers, texts := 0, 0
	for i, field := range r.fields {
		value, bit := Value{}, uint64(1)<<i
		if field.object != nil {
			field.object(into, f.Given&bit != 0)
			continue
		}
		switch field.want.kind {
		case KindNumber:
			value.Number = f.Numbers[numbers]
			numbers++
		case KindText:
			value.Text = f.Texts[texts]
			texts++
		case KindFlag:
			value.Flag = f.True&bit != 0
		}
		switch {
		case f.Known&bit != 0:
			value.Kind = field.want.kind
		case f.Given&bit != 0:
			value = Value{}
		default:
			continue
		}
		field.at(into, true).set(value)
	}
	return r.document(into)
}
