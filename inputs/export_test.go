package inputs

// Description is what this package knows of a field, for tests outside of it.
type Description struct {
	Name, Kind       string
	Signal, Required bool
	Low, High        int64
	Words            []string
}

// Describe lists the fields of a gate's documents, objects among them.
func Describe(gate string) []Description {
	shape, _ := shapeOf(gate)
	return shape.(interface{ describe() []Description }).describe()
}

func (r *record[D]) describe() []Description {
	var all []Description
	for _, field := range r.fields {
		kind := map[Kind]string{KindNumber: "integer", KindFlag: "boolean", KindText: "string"}[field.want.kind]
		if field.object != nil {
			kind = "object"
		}
		all = append(all, Description{field.name, kind, field.signal, field.required, field.want.low, field.want.high, field.want.words})
	}
	return all
}
