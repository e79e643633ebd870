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

// masks are Given, Known and True while they are put together: in registers, not in memory.
type masks struct{ null, known, yes uint64 }

// add notes the state of a field.
func (m *masks) add(field int, s state) {
	m.known |= uint64(s>>1) << field
	m.null |= uint64(s&1) << field
}

// name notes a plain string, which is absent when empty.
func (m *masks) name(field int, text string) {
	if text != "" {
		m.known |= 1 << field
	}
}

func (m *masks) into(f *Flat, objects uint64) {
	f.Given, f.Known, f.True = m.known|m.null|objects, m.known, m.yes
}

func (m *masks) flag(field int, from Flag) {
	m.add(field, from.state)
	if from.value {
		m.yes |= 1 << field
	}
}

func (m *masks) plane(field int, from *Plane) {
	m.name(field+1, from.Name)
	m.add(field+2, from.Depth.state)
	m.add(field+3, from.RetryBudget.state)
	m.add(field+4, from.HealthAgeMS.state)
	m.add(field+5, from.DepthLimit.state)
	m.add(field+6, from.HealthMaxAgeMS.state)
}

func (f *Flat) plane(slot, text int, from *Plane) {
	f.Texts[text] = from.Name
	own := f.Numbers[slot : slot+5 : slot+5]
	own[0], own[1], own[2] = from.Depth.value, from.RetryBudget.value, from.HealthAgeMS.value
	own[3], own[4] = from.DepthLimit.value, from.HealthMaxAgeMS.value
}

func (d *Fence) flatten(f *Flat) bool {
	if d == nil {
		return false
	}
	var m masks
	m.name(0, d.IntentID)
	m.name(1, d.Revision)
	m.flag(2, d.Borrow)
	m.plane(3, &d.Primary)
	f.Texts[0], f.Texts[1] = d.IntentID, d.Revision
	f.plane(0, 2, &d.Primary)
	objects := uint64(1 << 3)
	if d.Borrowed != nil {
		m.plane(10, d.Borrowed)
		f.plane(5, 3, d.Borrowed)
		objects |= 1 << 10
	}
	m.into(f, objects)
	return true
}

func (d *Retry) flatten(f *Flat) bool {
	if d == nil {
		return false
	}
	var m masks
	m.name(0, d.AttemptID)
	m.name(1, d.CreatedOn)
	m.name(3, d.Charge.Name)
	m.add(4, d.Charge.RetryBudget.state)
	m.into(f, 1<<2)
	f.Texts[0], f.Texts[1], f.Texts[2] = d.AttemptID, d.CreatedOn, d.Charge.Name
	f.Numbers[0] = d.Charge.RetryBudget.value
	return true
}

func (d *Bind) flatten(f *Flat) bool {
	if d == nil {
		return false
	}
	var m masks
	m.name(0, d.AttemptID)
	m.name(1, d.ScoreRevision)
	m.add(2, d.CurrentRevision.state)
	m.add(3, d.AttemptState.state)
	m.into(f, 0)
	f.Texts[0], f.Texts[1], f.Texts[2], f.Texts[3] = d.AttemptID, d.ScoreRevision, d.CurrentRevision.value, d.AttemptState.value
	return true
}

func (d *Compaction) flatten(f *Flat) bool {
	if d == nil {
		return false
	}
	var m masks
	m.add(0, d.QueueAgeMS.state)
	m.add(1, d.SlackMS.state)
	m.add(2, d.EstGenMS.state)
	m.add(3, d.EstTokens.state)
	m.add(4, d.TranscriptChars.state)
	m.add(5, d.RetryCount.state)
	m.add(6, d.TokenCeiling.state)
	m.add(7, d.TranscriptVersion.state)
	m.add(8, d.LatestVersion.state)
	m.name(9, d.Path)
	m.add(10, d.JobsThisTurn.state)
	m.add(11, d.LastCompactedVersion.state)
	m.flag(12, d.Cancelable)
	m.flag(13, d.SameTurn)
	m.add(14, d.ConsoleAgeMS.state)
	m.into(f, 0)
	f.Texts[0] = d.Path
	f.Numbers[0], f.Numbers[1], f.Numbers[2] = d.QueueAgeMS.value, d.SlackMS.value, d.EstGenMS.value
	f.Numbers[3], f.Numbers[4], f.Numbers[5] = d.EstTokens.value, d.TranscriptChars.value, d.RetryCount.value
	f.Numbers[6], f.Numbers[7], f.Numbers[8] = d.TokenCeiling.value, d.TranscriptVersion.value, d.LatestVersion.value
	f.Numbers[9], f.Numbers[10], f.Numbers[11] = d.JobsThisTurn.value, d.LastCompactedVersion.value, d.ConsoleAgeMS.value
	return true
}

func (d *Fanout) flatten(f *Flat) bool {
	if d == nil {
		return false
	}
	var m masks
	m.name(0, d.Class)
	m.add(1, d.QueueAgeMS.state)
	m.add(2, d.DeadlineSlackMS.state)
	m.add(3, d.TokensInWindow.state)
	m.add(4, d.SuccessesInWindow.state)
	m.add(5, d.ToolDepth.state)
	m.add(6, d.RetriesInWindow.state)
	m.add(7, d.Siblings.state)
	m.add(8, d.Inflight.state)
	m.add(9, d.MeterAgeMS.state)
	m.flag(10, d.ClassEnabled)
	m.add(11, d.MaxDepth.state)
	m.add(12, d.MaxSiblings.state)
	m.into(f, 0)
	f.Texts[0] = d.Class
	f.Numbers[0], f.Numbers[1], f.Numbers[2], f.Numbers[3] = d.QueueAgeMS.value, d.DeadlineSlackMS.value, d.TokensInWindow.value, d.SuccessesInWindow.value
	f.Numbers[4], f.Numbers[5], f.Numbers[6], f.Numbers[7] = d.ToolDepth.value, d.RetriesInWindow.value, d.Siblings.value, d.Inflight.value
	f.Numbers[8], f.Numbers[9], f.Numbers[10] = d.MeterAgeMS.value, d.MaxDepth.value, d.MaxSiblings.value
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
