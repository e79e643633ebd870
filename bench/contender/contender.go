package contender

import (
	"fmt"

	"github.com/admitctl/admitctl/inputs"
)

// Contender is one way to decide the documents of a mix.
type Contender struct {
	Name string
	// Pass decides every document once, and gives the number of those admitted.
	Pass func() int
	// Judge says what the contender makes of document i. A reason of "" is one that it does not give.
	Judge func(i int) (admit bool, reason string, err error)
}

// Lineup is the contenders that decide the same documents.
type Lineup struct {
	Gate       string
	Mix        string // "whole" or "bare"
	Documents  []inputs.Document
	Contenders []Contender // the first is the one that the others must agree with
}

// Find gives the contender of a name, and whether there is one.
func (l *Lineup) Find(name string) (Contender, bool) {
	for _, contender := range l.Contenders {
		if contender.Name == name {
			return contender, true
		}
	}
	return Contender{}, false
}

// Sound says which contender disagrees with the first, and about which document; nil where none does.
func (l *Lineup) Sound() error {
	first := l.Contenders[0]
	admits := 0
	for i, document := range l.Documents {
		admit, reason, err := first.Judge(i)
		if err != nil {
			return fmt.Errorf("%s, %s, document %d: %w", l.Gate, first.Name, i, err)
		}
		if admit {
			admits++
		}
		for _, other := range l.Contenders[1:] {
			also, why, err := other.Judge(i)
			if err != nil || also != admit || why != "" && why != reason {
				text, _ := document.(interface{ MarshalJSON() ([]byte, error) }).MarshalJSON()
				return fmt.Errorf("%s, document %d: %s says %t %q, %s %t %q (%w): %s", l.Gate, i, first.Name, admit, reason, other.Name, also, why, err, text)
			}
		}
	}
	for _, contender := range l.Contenders {
		if got := contender.Pass(); got != admits {
			return fmt.Errorf("%s: a pass of %s admits %d, of %s %d", l.Gate, first.Name, admits, contender.Name, got)
		}
	}
	if 3*admits < len(l.Documents) {
		return fmt.Errorf("%s: %d of %d documents are admitted, and it must be a third", l.Gate, admits, len(l.Documents))
	}
	return nil
}

// Documents are documents of one struct as the engine takes them.
func Documents[D inputs.Document](typed []D) []inputs.Document {
	all := make([]inputs.Document, len(typed))
	for i, document := range typed {
		all[i] = document
	}
	return all
}
