package solver

import (
	"errors"
	"fmt"
	"strings"
)

// expression is what a solver says: a word, or a list.
type expression struct {
	atom string
	list []expression
}

// String is the expression as it was said, shortened.
func (e expression) String() string {
	text := e.atom
	if text == "" {
		parts := make([]string, len(e.list))
		for i, part := range e.list {
			parts[i] = part.String()
		}
		text = "(" + strings.Join(parts, " ") + ")"
	}
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return text
}

// deepest bounds how lists nest in an answer, which is never deep.
const deepest = 100

// read reads the next expression that the solver says.
func (s *Session) read() (expression, error) { return s.nested(0) }

func (s *Session) nested(depth int) (expression, error) {
	if depth > deepest {
		return expression{}, errors.New("it says something too deep")
	}
	word, err := s.word()
	if err != nil || word != "(" {
		return expression{atom: word}, err
	}
	var made expression
	for {
		word, err := s.word()
		switch {
		case err != nil:
			return made, err
		case word == ")":
			return made, nil
		case word == "(":
			if err := s.from.UnreadByte(); err != nil {
				return made, err
			}
			inner, err := s.nested(depth + 1)
			if err != nil {
				return made, err
			}
			made.list = append(made.list, inner)
		default:
			made.list = append(made.list, expression{atom: word})
		}
	}
}

// word reads a parenthesis, a quoted text, or what stands between two spaces.
func (s *Session) word() (string, error) {
	var word strings.Builder
	quoted := false
	for {
		c, err := s.from.ReadByte()
		if err != nil {
			return "", fmt.Errorf("it ended: %w", err)
		}
		switch {
		case quoted || c == '"':
			word.WriteByte(c)
			if c == '"' {
				if quoted {
					return word.String(), nil
				}
				quoted = true
			}
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
			if word.Len() > 0 {
				return word.String(), nil
			}
		case c == '(' || c == ')':
			if word.Len() > 0 {
				return word.String(), s.from.UnreadByte()
			}
			return string(c), nil
		default:
			word.WriteByte(c)
		}
	}
}
