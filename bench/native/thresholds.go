package native

import (
	"encoding/json"
	"fmt"
)

// Thresholds are the numbers and switches that a service runs with, resolved: nothing is optional here.
type Thresholds struct {
	Planes     map[string]Limits // those that differ from Default
	Default    Limits
	Compaction CompactionThresholds
	Classes    map[string]*Class
	Fanout     FanoutThresholds
}

// Limits are those of a plane.
type Limits struct {
	Depth       int64 // intents at which the plane is full
	HealthAgeMS int64 // milliseconds that a health sample may age
}

// CompactionThresholds are those of the gate "compaction".
type CompactionThresholds struct {
	Enabled         bool
	FreePath        bool
	RequireJobs     bool // jobs_this_turn must be there
	RequireLast     bool // last_compacted_version must be there
	TokenCeiling    int64
	MaxRetries      int64
	ConsoleMaxAgeMS int64
}

// Class is a class of work of the gate "fanout".
type Class struct {
	Reserved            bool
	Enabled             bool
	Requires            Signals
	MaxDepth            int64
	MaxSiblings         int64
	QueueAgeMS          int64
	SlackMSBelow        int64
	TokensPerSuccessEst int64
}

// FanoutThresholds are those of the gate "fanout" that hold for every class.
type FanoutThresholds struct {
	RetryAmplificationMin int64
	ProbeWhenIdle         bool
	MeterMaxAgeMS         int64
}

// Signals are signals that a class must bring.
type Signals uint8

// The signals that a class can require.
const (
	QueueAge Signals = 1 << iota
	DeadlineSlack
	TokensInWindow
	SuccessesInWindow
	ToolDepth
	RetriesInWindow
	Siblings
	MeterAge

	six = QueueAge | DeadlineSlack | TokensInWindow | SuccessesInWindow | ToolDepth | RetriesInWindow
)

// signals are the names of the bits, from the lowest.
func signals() []string {
	return []string{"queue_age_ms", "deadline_slack_ms", "tokens_in_window", "successes_in_window", "tool_depth", "retries_in_window", "siblings", "meter_age_ms"}
}

// file is the part of thresholds.yaml that the gates read, as JSON.
type file struct {
	Fence struct {
		Default plane
		Planes  map[string]plane
	}
	Compaction struct {
		Enabled         bool
		FreePath        string `json:"free_path"`
		TokenCeiling    int64  `json:"token_ceiling"`
		MaxRetries      int64  `json:"max_retries"`
		ConsoleMaxAgeMS int64  `json:"console_max_age_ms"`
		Requires        []string
	}
	Classes map[string]class
	Fanout  struct {
		RetryAmplificationMin int64 `json:"retry_amplification_min"`
		ProbeWhenIdle         bool  `json:"probe_when_idle"`
		MeterMaxAgeMS         int64 `json:"meter_max_age_ms"`
	}
}

type plane struct {
	DepthLimit     *int64 `json:"depth_limit"`
	HealthMaxAgeMS *int64 `json:"health_max_age_ms"`
}

type class struct {
	Reserved    bool
	Enabled     *bool
	Requires    *[]string
	MaxDepth    int64 `json:"max_depth"`
	MaxSiblings int64 `json:"max_siblings"`
	RejectWhen  struct {
		QueueAgeMS          int64 `json:"queue_age_ms"`
		SlackMSBelow        int64 `json:"slack_ms_below"`
		TokensPerSuccessEst int64 `json:"tokens_per_success_est"`
	} `json:"reject_when"`
}

// Read takes resolved thresholds as JSON, such as (*engine.Program).Data. It trusts them: it fails only where they are
// no JSON of their shape.
func Read(data []byte) (*Thresholds, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("thresholds: %w", err)
	}
	standard := f.Fence.Default.over(Limits{})
	t := &Thresholds{
		Planes:  make(map[string]Limits, len(f.Fence.Planes)),
		Default: standard,
		Classes: make(map[string]*Class, len(f.Classes)),
		Fanout:  FanoutThresholds(f.Fanout),
	}
	for name, plane := range f.Fence.Planes {
		t.Planes[name] = plane.over(standard)
	}
	t.Compaction = CompactionThresholds{
		Enabled: f.Compaction.Enabled, FreePath: f.Compaction.FreePath == "enabled",
		TokenCeiling: f.Compaction.TokenCeiling, MaxRetries: f.Compaction.MaxRetries, ConsoleMaxAgeMS: f.Compaction.ConsoleMaxAgeMS,
	}
	for _, name := range f.Compaction.Requires {
		t.Compaction.RequireJobs = t.Compaction.RequireJobs || name == "jobs_this_turn"
		t.Compaction.RequireLast = t.Compaction.RequireLast || name == "last_compacted_version"
	}
	for name, class := range f.Classes {
		t.Classes[name] = class.resolve()
	}
	return t, nil
}

func (p plane) over(limits Limits) Limits {
	if p.DepthLimit != nil {
		limits.Depth = *p.DepthLimit
	}
	if p.HealthMaxAgeMS != nil {
		limits.HealthAgeMS = *p.HealthMaxAgeMS
	}
	return limits
}

func (c class) resolve() *Class {
	resolved := &Class{
		Reserved: c.Reserved, Enabled: c.Enabled == nil || *c.Enabled, Requires: six,
		MaxDepth: c.MaxDepth, MaxSiblings: c.MaxSiblings,
		QueueAgeMS: c.RejectWhen.QueueAgeMS, SlackMSBelow: c.RejectWhen.SlackMSBelow, TokensPerSuccessEst: c.RejectWhen.TokensPerSuccessEst,
	}
	if c.Requires != nil {
		resolved.Requires = 0
		for _, required := range *c.Requires {
			for i, name := range signals() {
				if name == required {
					resolved.Requires |= 1 << i
				}
			}
		}
	}
	return resolved
}
