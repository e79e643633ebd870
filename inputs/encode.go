package inputs

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// encode writes a document as [Decode] takes it: the gate first, then the fields that are there.
func encode(document Document) ([]byte, error) {
	var text bytes.Buffer
	tokens := jsontext.NewEncoder(&text)
	write := func(all ...jsontext.Token) error {
		for _, token := range all {
			if err := tokens.WriteToken(token); err != nil {
				return err
			}
		}
		return nil
	}
	if err := write(jsontext.BeginObject, jsontext.String("gate"), jsontext.String(document.Gate())); err != nil {
		return nil, err
	}
	open := ""
	for name, value := range document.Fields() {
		object, key, nested := strings.Cut(name, ".")
		if !nested {
			object, key = "", name
		}
		if object != open {
			if open != "" {
				if err := write(jsontext.EndObject); err != nil {
					return nil, err
				}
			}
			if object != "" {
				if err := write(jsontext.String(object), jsontext.BeginObject); err != nil {
					return nil, err
				}
			}
			open = object
		}
		if err := write(jsontext.String(key), value.token()); err != nil {
			return nil, err
		}
	}
	if open != "" {
		if err := write(jsontext.EndObject); err != nil {
			return nil, err
		}
	}
	if err := write(jsontext.EndObject); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

func (v Value) token() jsontext.Token {
	switch v.Kind {
	case KindNumber:
		return jsontext.Int(v.Number)
	case KindFlag:
		return jsontext.Bool(v.Flag)
	case KindText:
		return jsontext.String(v.Text)
	}
	return jsontext.Null
}
