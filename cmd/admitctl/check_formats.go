package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/review"
	"github.com/admitctl/admitctl/thresholds"
)

// problemJSON is a problem or a warning as check -f json prints it.
type problemJSON struct {
	Category string `json:"category"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Path     string `json:"path,omitempty"`
	Problem  string `json:"problem"`
	Mend     string `json:"mend,omitempty"`
	Text     string `json:"text,omitempty"`
}

// settingJSON is a resolved threshold and what set it.
type settingJSON struct {
	Path  string `json:"path"`
	Value any    `json:"value"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Notes string `json:"notes,omitempty"`
}

// checkJSON is what check -f json prints.
type checkJSON struct {
	Policies   string                      `json:"policies"`
	Loads      bool                        `json:"loads"`
	Revision   string                      `json:"revision,omitempty"`
	Gates      []string                    `json:"gates"`
	Problems   []problemJSON               `json:"problems"`
	Warnings   []problemJSON               `json:"warnings"`
	Deep       []agreementJSON             `json:"deep,omitempty"`       // with --deep
	Properties map[string][]review.Finding `json:"properties,omitempty"` // with --prove, by gate
	Thresholds []settingJSON               `json:"thresholds"`
}

func problemsJSON(problems []engine.Problem) []problemJSON {
	all := make([]problemJSON, len(problems))
	for i, p := range problems {
		all[i] = problemJSON{p.Category(), p.File, p.Line, p.Column, p.Path, p.Problem, p.Mend, p.Source()}
	}
	return all
}

func (c checked) writeJSON(out io.Writer) error {
	j := checkJSON{Policies: c.from, Loads: c.Program != nil, Gates: []string{}, Problems: problemsJSON(c.Problems), Warnings: problemsJSON(c.Warnings), Deep: agreementsJSON(c.deep), Thresholds: settingsJSON(c.Thresholds)}
	if c.proved != nil {
		j.Properties = c.proved.Gates
	}
	if c.Program != nil {
		j.Revision, j.Gates = c.Program.Revision(), c.Program.Gates()
	}
	return encodeJSON(out, j)
}

func settingsJSON(settings []thresholds.Setting) []settingJSON {
	all := make([]settingJSON, len(settings))
	for i, s := range settings {
		all[i] = settingJSON(s)
	}
	return all
}

// encodeJSON writes a value for people and programs both: indented, and < as it is.
func encodeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

func jsonOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// writeSARIF is what code scanning reads.
func (c checked) writeSARIF(out io.Writer) error {
	run := sarif.NewRunWithInformationURI("admitctl", "https://github.com/admitctl/admitctl")
	add := func(problems []engine.Problem, level string) {
		for _, p := range problems {
			run.AddRule(p.Category())
			result := run.CreateResultForRule(p.Category()).WithLevel(level).WithMessage(sarif.NewTextMessage(p.Message()))
			if p.File == "" {
				continue
			}
			place := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation((&url.URL{Path: filepath.ToSlash(p.File)}).String()))
			if p.Line > 0 {
				region := sarif.NewRegion().WithStartLine(p.Line).WithStartColumn(max(p.Column, 1))
				if line := p.Source(); line != "" {
					region.WithSnippet(sarif.NewArtifactContent().WithText(line))
				}
				place.WithRegion(region)
			}
			result.AddLocation(sarif.NewLocationWithPhysicalLocation(place))
		}
	}
	add(c.Problems, sarif.LevelError)
	add(c.Warnings, sarif.LevelWarning)
	all := report.NewV210Report()
	all.AddRun(run)
	return all.PrettyWrite(out)
}

// writeGitHub is what an action's log turns into annotations.
func (c checked) writeGitHub(out io.Writer) error {
	var text strings.Builder
	add := func(problems []engine.Problem, command string) {
		for _, p := range problems {
			properties := []string{}
			if p.File != "" {
				properties = append(properties, "file="+githubProperty(inputs.Printable(p.File)))
			}
			if p.Line > 0 {
				properties = append(properties, fmt.Sprintf("line=%d,col=%d", p.Line, max(p.Column, 1)))
			}
			properties = append(properties, "title="+githubProperty("admitctl "+p.Category()))
			fmt.Fprintf(&text, "::%s %s::%s\n", command, strings.Join(properties, ","), githubMessage(p.Message()))
		}
	}
	add(c.Problems, "error")
	add(c.Warnings, "warning")
	_, err := io.WriteString(out, text.String())
	return err
}

func githubMessage(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func githubProperty(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
