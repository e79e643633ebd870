package table

import (
	"strconv"

	"github.com/admitctl/admitctl/inputs"
)

// AppendJSON appends the decision as encoding/json has it without escaping for HTML, byte for byte, in a tenth of its
// time.
func (d *Decision) AppendJSON(dst []byte) []byte {
	dst = inputs.AppendString(append(dst, `{"gate":`...), d.Gate)
	dst = strconv.AppendBool(append(dst, `,"admit":`...), d.Admit)
	dst = inputs.AppendString(append(dst, `,"reason":`...), d.Reason)
	dst = inputs.AppendString(append(dst, `,"action":`...), d.Action)
	dst = appendList(append(dst, `,"violations":`...), d.Violations, appendViolation)
	dst = appendList(append(dst, `,"effects":`...), d.Effects, appendEffect)
	dst = appendList(append(dst, `,"unknown":`...), d.Unknown, func(dst []byte, name *string) []byte {
		return inputs.AppendString(dst, *name)
	})
	dst = inputs.AppendString(append(dst, `,"policy":{"revision":`...), d.Policy.Revision)
	dst = append(dst, '}')
	if d.Error != "" {
		dst = inputs.AppendString(append(dst, `,"error":`...), d.Error)
	}
	return append(dst, '}')
}

// appendList appends an array, or null for a list that is nil.
func appendList[E any](dst []byte, list []E, appendOne func([]byte, *E) []byte) []byte {
	if list == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendOne(dst, &list[i])
	}
	return append(dst, ']')
}

func appendViolation(dst []byte, v *Violation) []byte {
	dst = inputs.AppendString(append(dst, `{"reason":`...), v.Reason)
	dst = v.Observed.AppendJSON(append(dst, `,"observed":`...))
	dst = v.Limit.AppendJSON(append(dst, `,"limit":`...))
	return append(dst, '}')
}

func appendEffect(dst []byte, e *Effect) []byte {
	dst = inputs.AppendString(append(dst, `{"plane":`...), e.Plane)
	dst = inputs.AppendString(append(dst, `,"counter":`...), e.Counter)
	dst = strconv.AppendInt(append(dst, `,"delta":`...), e.Delta, 10)
	return append(dst, '}')
}
